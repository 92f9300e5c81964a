import { listNames } from '../../public-list/lists.ts';
import { listStatus } from '../../public-list/publish.ts';
import { writing } from '../command.ts';
import { publishLists } from '../publish.ts';
import { run } from '../run.ts';

export const publish = writing(
  'publish',
  'Publish every list that is behind its source, now',
  'lists publish',
  'lists publish --force',
)
  .option('--force', 'build every list from nothing and publish it, whatever the records say')
  .action(({ force: isForced = false, ...options }) =>
    run(options, async (registry) => {
      const { db, env, isDryRun } = registry;
      if (isDryRun) {
        const states = await listStatus(db, env.LISTS, new Date());
        const behind = states
          .filter(({ isBehind }) => isForced || isBehind)
          .map(({ list }) => list);
        return {
          data: { behind, published: [], changed: false },
          text:
            behind.length === 0 ? 'every list is up to date' : `would publish ${behind.join(', ')}`,
        };
      }
      const published = await publishLists(registry, listNames, { isForced });
      return {
        data: { published, changed: published.length > 0 },
        text:
          published.length === 0
            ? 'every list was up to date'
            : `published ${published.join(', ')}`,
      };
    }),
  );
