import * as z from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { preflight, publicCall } from './interface.openapi.ts';

const path = z.object({
  tile: z.string().meta({
    description:
      '`<level>/<number>` for hashes, `entries/<number>` for leaves; the number in groups of three digits (`x001/234`), and `.p/<width>` after the last one if it is not full.',
  }),
});

export const logPathItems: ZodOpenApiPathsObject = {
  '/log/checkpoint': {
    get: publicCall({
      operationId: 'getLogCheckpoint',
      summary: 'Read the log’s checkpoint',
      description:
        'How many leaves the log has, and the hash of all of them, signed ([C2SP tlog-checkpoint](https://c2sp.org/tlog-checkpoint)). A leaf says which list had which content at the end of which UTC day: `<list> <day> <etag> <sha256> <count>` and a line feed.',
      success: { description: 'A signed note.', type: 'text/plain', schema: z.string() },
      refusals: ['not_found'],
    }),
    options: preflight('preflightLogCheckpoint'),
  },
  '/log/tile/{tile}': {
    get: publicCall({
      operationId: 'getLogTile',
      summary: 'Read a tile of the log',
      description:
        'Hashes or leaves ([C2SP tlog-tiles](https://c2sp.org/tlog-tiles)). A tile never changes.',
      path,
      success: {
        description: 'The hashes of the tile, or its leaves, each after its length in two bytes.',
        type: 'application/octet-stream',
        schema: z.string(),
      },
      refusals: ['not_found'],
    }),
    options: preflight('preflightLogTile', path),
  },
  '/log/key': {
    get: publicCall({
      operationId: 'getLogKey',
      summary: 'Read the verifier’s key of the log',
      description:
        'As [C2SP signed-note](https://c2sp.org/signed-note) writes it. Two lines while one key follows another: each signs.',
      success: {
        description: 'The keys, a line for each.',
        type: 'text/plain',
        schema: z.string(),
      },
      refusals: ['not_found'],
    }),
    options: preflight('preflightLogKey'),
  },
};
