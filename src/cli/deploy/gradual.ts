import { domainAddress } from '../wrangler-config.ts';
import { type Command, calling, type Deployment, type Step } from './deployment.ts';
import { absentIf, configOf, env, loginStep } from './resources.ts';
import { addressIn, buildIn, stepsWith } from './steps.ts';

/** The build that answers all requests, or the old and the new one while they share them. */
interface Split {
  old: string;
  new?: string;
}

/** Throws an Error if there is no Worker yet. */
async function findSplit(deployment: Deployment): Promise<Split & { state: string }> {
  const { wrangler } = deployment;
  const status = wrangler(['deployments', 'status', ...env(deployment), '--json']);
  const answer = await absentIf(/does not exist|has no deployments/, status);
  if (answer === undefined) {
    throw new Error('There is no build to compare a new one with: deploy without --gradual.');
  }
  const listed = await wrangler(['versions', 'list', ...env(deployment), '--json']);
  const numbers = new Map<string, number>(
    JSON.parse(listed).map(({ id, number }: { id: string; number: number }) => [id, number]),
  );
  const ids: string[] = JSON.parse(answer).versions.map(
    ({ version_id }: { version_id: string }) => version_id,
  );
  const [older, newer] = ids.sort((a, b) => (numbers.get(a) ?? 0) - (numbers.get(b) ?? 0));
  return newer === undefined
    ? { old: older!, state: `only ${older} answers` }
    : { old: older!, new: newer, state: `${older} answers beside ${newer}` };
}

const sharing = (deployment: Deployment, ...shares: string[]) => [
  ...['versions', 'deploy', ...shares, ...env(deployment), '--yes'],
];

/** It comes before the keys are set, which would create a Worker that answers nothing. */
const oldBuild: Step = { title: 'Old build', find: findSplit, commands: () => [] };

/** Uploads a build and gives it its share. If two builds answer already, changes the share of the newer one. */
const newBuild: Step<Split> = {
  title: 'New build beside the old one',
  find: findSplit,
  commands(deployment, { old, new: earlier } = { old: '<old>' }) {
    const { environment, share = 0 } = deployment;
    const upload = calling(deployment, ['versions', 'upload', ...env(deployment)], (printed) => {
      deployment.build = buildIn(printed, 'Worker');
      return `uploaded ${deployment.build}`;
    });
    const sharesOf = (build: string) =>
      sharing(deployment, `${build}@${share}`, `${old}@${100 - share}`);
    const abort = `npm run deploy -- --env ${environment} --abort`;
    const note = `; it was uploaded earlier, and what is checked out now is not uploaded. To upload it: ${abort} first`;
    const shareOut: Command = {
      words: `wrangler ${sharesOf(earlier ?? '<new>').join(' ')}`,
      async run() {
        deployment.build ??= earlier!;
        await deployment.wrangler(sharesOf(deployment.build));
        return `${deployment.build} answers ${share} % of the requests${earlier === undefined ? '' : note}`;
      },
    };
    return earlier === undefined ? [upload, shareOut] : [shareOut];
  },
};

/** Selects each build's requests of the last quarter of an hour, the failed ones, and a latency in milliseconds. */
const figuresOf = (dataset: string) =>
  `SELECT blob7 AS build, SUM(_sample_interval) AS requests, ` +
  `sumIf(_sample_interval, blob5 >= '500') AS failures, ` +
  `quantileExactWeighted(0.95)(double1, _sample_interval) AS p95 FROM ${dataset} ` +
  `WHERE blob1 = 'request' AND blob4 != '/health' AND timestamp > NOW() - INTERVAL '15' MINUTE GROUP BY build`;

const enoughRequests = 100;
const comparisonTries = 20;
const comparisonPauseMilliseconds = 30_000;

/** Waits at most ten minutes until the new build has answered enough requests, shows the figures of both, and asks. */
const comparison: Step = {
  title: 'Comparison',
  commands: (deployment) => [
    {
      words: `SQL API of Analytics Engine: ${figuresOf(configOf(deployment).dataset ?? '<no dataset>')}`,
      async run() {
        const lines = await compare(deployment).catch(unread);
        for (const line of lines) deployment.say(`      ${line}`);
        return 'compared';
      },
    },
    { words: 'a question: whether the new build gets all requests', run: () => agree(deployment) },
  ],
};

async function agree({ ask, build, share, environment }: Deployment): Promise<string> {
  if (await ask(`Give ${build} all requests?`)) return 'accepted';
  throw new Error(
    `${build} goes on answering ${share} % of the requests. Run the command again to compare again, or take it back: npm run deploy -- --env ${environment} --abort`,
  );
}

/** The question is asked without figures as well: the dashboard has them. */
const unread = ({ message }: Error) => [`the data points could not be read: ${message}`];

async function compare(deployment: Deployment): Promise<string[]> {
  const { analytics, pause } = deployment;
  const { old, new: build } = await findSplit(deployment);
  const { dataset } = configOf(deployment);
  if (dataset === undefined) throw new Error('wrangler.toml names no dataset');
  for (let tries = 1; ; tries++) {
    const rows = await analytics(figuresOf(dataset));
    const [before, after] = [old, build].map((id) => rows.find(({ build }) => build === id));
    if (tries === comparisonTries || Number(after?.requests ?? 0) >= enoughRequests) {
      return [`old ${old}: ${wordsOf(before)}`, `new ${build}: ${wordsOf(after)}`];
    }
    await pause(comparisonPauseMilliseconds);
  }
}

function wordsOf(figures: Record<string, unknown> | undefined): string {
  if (!figures) return 'no requests';
  const { requests, failures, p95 } = figures;
  const share = ((100 * Number(failures)) / Number(requests)).toFixed(2);
  return `${requests} requests, ${failures} failures (${share} %), 95 % within ${p95} ms`;
}

/** The triggers are deployed too, because `versions deploy` keeps the old build's domains, crons and queues. */
const promotion: Step = {
  title: 'All requests',
  commands(deployment) {
    const { configPath, environment, build = '<new>' } = deployment;
    return [
      calling(deployment, sharing(deployment, `${build}@100`), () => `build ${build}`),
      calling(deployment, ['triggers', 'deploy', ...env(deployment)], (printed) => {
        deployment.address = addressIn(printed) ?? domainAddress(configPath, environment);
        return deployment.address ?? 'without an address';
      }),
    ];
  },
};

export const gradualSteps = stepsWith([newBuild, comparison, promotion], [oldBuild]);

const oldBuildAlone: Step<Split> = {
  title: 'Old build alone',
  find: findSplit,
  commands(deployment, split = { old: '<old>', new: '<new>' }) {
    if (split.new === undefined) return [];
    const args = sharing(deployment, `${split.old}@100`);
    return [calling(deployment, args, () => `${split.old} answers all requests`)];
  },
};

export const abortSteps: readonly Step[] = [loginStep, oldBuildAlone];
