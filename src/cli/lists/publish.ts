import { currentTime } from '../../clock.ts';
import { listNames } from '../../public-list/lists.ts';
import { listStatus, publish } from '../../public-list/publish/publish.ts';
import { writing } from '../command.ts';
import { run } from '../run.ts';

export const command = writing('lists publish', 'lists publish --force')
  .option('--force', 'build every list from nothing and publish it, whatever the records say')
  .action(({ force: isForced = false, ...options }) =>
    run(options, async ({ db, env, isDryRun }) => {
      if (isDryRun) {
        const states = await listStatus(db, env.LISTS, currentTime());
        const behind = states
          .filter(({ isBehind }) => isForced || isBehind)
          .map(({ list }) => list);
        return {
          data: { behind, published: [], changed: false },
          text:
            behind.length === 0 ? 'every list is up to date' : `would publish ${behind.join(', ')}`,
        };
      }
      const published = await publish(db, env.LISTS, listNames, currentTime, { isForced });
      return {
        data: { published, changed: published.length > 0 },
        text:
          published.length === 0
            ? 'every list was up to date'
            : `published ${published.join(', ')}`,
      };
    }),
  );
