import * as z from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import type { Call } from '../openapi/call.ts';
import { preflight, publicCall } from './interface.openapi.ts';

/** Something of the log, with this media type. */
const logCall = (call: Call, type: 'text/plain' | 'application/octet-stream', what: string) =>
  publicCall({
    ...call,
    success: { description: what, type, schema: z.string() },
    refusals: ['not_found'],
  });

const path = z.object({
  tile: z.string().meta({
    description:
      '`<level>/<number>` for hashes, `entries/<number>` for leaves; the number in groups of three digits (`x001/234`), and `.p/<width>` after the last one if it is not full.',
  }),
});

export const logPathItems: ZodOpenApiPathsObject = {
  '/log/checkpoint': {
    get: logCall(
      {
        operationId: 'getLogCheckpoint',
        summary: 'Read the log’s checkpoint',
        description:
          'How many leaves the log has, and the hash of all of them, signed ([C2SP tlog-checkpoint](https://c2sp.org/tlog-checkpoint)). A leaf says which list had which content at the end of which UTC day: `<list> <day> <etag> <sha256> <count>` and a line feed.',
      },
      'text/plain',
      'A signed note.',
    ),
    options: preflight('preflightLogCheckpoint'),
  },
  '/log/tile/{tile}': {
    get: logCall(
      {
        operationId: 'getLogTile',
        summary: 'Read a tile of the log',
        description:
          'Hashes or leaves ([C2SP tlog-tiles](https://c2sp.org/tlog-tiles)). A tile never changes.',
        path,
      },
      'application/octet-stream',
      'The hashes of the tile, or its leaves, each after its length in two bytes.',
    ),
    options: preflight('preflightLogTile', path),
  },
  '/log/key': {
    get: logCall(
      {
        operationId: 'getLogKey',
        summary: 'Read the verifier’s key of the log',
        description:
          'As [C2SP signed-note](https://c2sp.org/signed-note) writes it. Two lines while one key follows another: each signs.',
      },
      'text/plain',
      'The keys, a line for each.',
    ),
    options: preflight('preflightLogKey'),
  },
};
