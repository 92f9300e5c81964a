import { beforeAll, expect, test } from 'vitest';
import { type ArchivedDay, putDay } from '../../src/list/archive/day.ts';
import { startTool } from './tool.ts';

const registry = startTool().sharedRegistry();

const kept = (day: string, etag: string): ArchivedDay => ({
  ...{ list: 'all', day, etag, count: 1, bytes: 20 },
});
const missing = (day: string): ArchivedDay => ({ list: 'all', day, missing: true });

beforeAll(async () => {
  const { env, dispose } = await registry.open();
  for (const record of [
    kept('2026-05-01', 'a'),
    missing('2026-05-02'),
    missing('2026-05-03'),
    kept('2026-05-04', 'a'),
    kept('2026-05-05', 'b'),
  ]) {
    await putDay(env.ARCHIVE!, record);
  }
  await env.ARCHIVE!.put('bodies/all/a', 'twenty bytes of gzip');
  await dispose();
});

const none = { first_day: null, last_day: null, days: 0, contents: 0, bytes: 0, gaps: [] };

test('shows the days of each list, their size, and the gaps', async () => {
  expect(await registry.done('lists archive')).toEqual({
    lists: [
      { list: 'auctions', ...none },
      {
        list: 'all',
        first_day: '2026-05-01',
        last_day: '2026-05-05',
        days: 2,
        contents: 1,
        bytes: 20,
        gaps: [
          { first_day: '2026-05-02', last_day: '2026-05-03', reason: 'missing' },
          { first_day: '2026-05-05', last_day: '2026-05-05', reason: 'lost' },
        ],
      },
      { list: 'reserved', ...none },
      { list: 'blocked', ...none },
      { list: 'disputed', ...none },
    ],
  });
  const { stdout } = await registry.run('lists archive');
  expect(stdout).toBe(`\
LIST      FIRST DAY   LAST DAY    DAYS  CONTENTS  BYTES
auctions  -           -           0     0         0
all       2026-05-01  2026-05-05  2     1         20
reserved  -           -           0     0         0
blocked   -           -           0     0         0
disputed  -           -           0     0         0
all: 2026-05-02 to 2026-05-03 missing: how the list stood is no longer known
all: 2026-05-05 lost: the bucket has the record, not the content
`);
});
