import * as z from 'zod';
import { publicCalls } from './interface.openapi.ts';

export const signedLogPaths = publicCalls({
  'GET /log/checkpoint': {
    operationId: 'getLogCheckpoint',
    summary: 'Read the log’s checkpoint',
    description:
      'How many leaves the log has, and the hash of all of them, signed ([C2SP ' +
      'tlog-checkpoint](https://c2sp.org/tlog-checkpoint)). A leaf says which list had which ' +
      'content at the end of which UTC day: `<list> <day> <etag> <sha256> <count>` and a line ' +
      'feed.',
    success: 'A signed note.',
    type: 'text/plain',
    answer: z.string(),
    refusals: ['not_found'],
  },
  'GET /log/tile/{tile}': {
    operationId: 'getLogTile',
    summary: 'Read a tile of the log',
    description:
      'Hashes or leaves ([C2SP tlog-tiles](https://c2sp.org/tlog-tiles)). A tile never changes.',
    path: {
      tile: z.string().meta({
        description:
          '`<level>/<number>` for hashes, `entries/<number>` for leaves; the number in groups ' +
          'of three digits (`x001/234`), and `.p/<width>` after the last one if it is not full.',
      }),
    },
    success: 'The hashes of the tile, or its leaves, each after its length in two bytes.',
    type: 'application/octet-stream',
    answer: z.string(),
    refusals: ['not_found'],
  },
  'GET /log/key': {
    operationId: 'getLogKey',
    summary: 'Read the verifier’s key of the log',
    description:
      'As [C2SP signed-note](https://c2sp.org/signed-note) writes it. Two lines while a new key replaces the old one: both sign.',
    success: 'The keys, a line for each.',
    type: 'text/plain',
    answer: z.string(),
    refusals: ['not_found'],
  },
});
