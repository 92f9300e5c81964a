import { domainAddress } from '../wrangler-config.ts';
import type { Deployment, Step } from './deployment.ts';
import { absentIf, configOf, env, loginStep, typed } from './resources.ts';
import { addressIn, stepsWith } from './steps.ts';

/** The build that answers all requests, or the old and the new one while they share them. */
interface Split {
  old: string;
  new: string | undefined;
}

/** Throws an Error if there is no Worker yet. */
async function readSplit(deployment: Deployment): Promise<Split> {
  const { wrangler } = deployment;
  const status = ['deployments', 'status', ...env(deployment), '--json'];
  const answer = await absentIf(/does not exist|has no deployments/, wrangler(status));
  if (answer === undefined) {
    throw new Error('There is no build to compare a new one with: deploy without --gradual.');
  }
  const ids = JSON.parse(answer).versions.map(
    (version: { version_id: string }) => version.version_id,
  );
  const listed = JSON.parse(await wrangler(['versions', 'list', ...env(deployment), '--json']));
  const ages = new Map<string, number>(
    listed.map(({ id, number }: { id: string; number: number }) => [id, number]),
  );
  const [older, newer] = ids.sort(
    (a: string, b: string) => (ages.get(a) ?? 0) - (ages.get(b) ?? 0),
  );
  return { old: older, new: newer };
}

const sharing = (deployment: Deployment, ...shares: string[]) => [
  ...['versions', 'deploy', ...shares, ...env(deployment), '--yes'],
];

/** Before the key is set, which would create a Worker that answers nothing. */
const oldBuild: Step = {
  title: 'Old build',
  plan: (deployment) => [typed('deployments', 'status', ...env(deployment), '--json')],
  look: (deployment) => readSplit(deployment).then(inWords),
  run: (deployment) => readSplit(deployment).then(inWords),
};

const inWords = (split: Split) =>
  split.new === undefined ? `there, ${split.old}` : `there, ${split.old}, beside ${split.new}`;

/** Uploads a build and gives it its share; if two builds answer already, it changes the share of the newer one. */
const newBuild: Step = {
  title: 'New build beside the old one',
  plan: (deployment) => [
    `${typed('versions', 'upload', ...env(deployment))}, unless two builds answer already`,
    typed(...sharing(deployment, `<new>@${deployment.share}`, '<old>')),
  ],
  async run(deployment) {
    const { wrangler, share } = deployment;
    const split = await readSplit(deployment);
    if (split.new !== undefined) {
      const abort = `npm run deploy -- --env ${deployment.environment} --abort`;
      deployment.say(
        `    ${split.new} was uploaded earlier, and what is checked out now is not uploaded. To upload it: ${abort} first`,
      );
    }
    deployment.build =
      split.new ?? uploadedIn(await wrangler(['versions', 'upload', ...env(deployment)]));
    const rest = 100 - share!;
    await wrangler(sharing(deployment, `${deployment.build}@${share}`, `${split.old}@${rest}`));
    return `${deployment.build} answers ${share} % of the requests`;
  },
};

function uploadedIn(printed: string): string {
  const [, build] = /^Worker Version ID: (\S+)/m.exec(printed) ?? [];
  if (build === undefined) throw new Error(`wrangler named no version:\n${printed}`);
  return build;
}

/** The requests of a build in the last quarter of an hour, the failed ones, and a latency in milliseconds. */
interface Figures {
  requests: number;
  failures: number;
  p95: number;
}

const figuresOf = (dataset: string) =>
  `SELECT blob7 AS build, SUM(_sample_interval) AS requests, ` +
  `sumIf(_sample_interval, blob5 >= '500') AS failures, ` +
  `quantileExactWeighted(0.95)(double1, _sample_interval) AS p95 FROM ${dataset} ` +
  `WHERE blob1 = 'request' AND blob4 != '/health' AND timestamp > NOW() - INTERVAL '15' MINUTE GROUP BY build`;

const enoughRequests = 100;
const comparisonTries = 20;
const comparisonPauseMilliseconds = 30_000;

/** Waits ten minutes at most until the new build has answered enough requests, shows what both did, and asks. */
const comparison: Step = {
  title: 'Comparison',
  plan: (deployment) => [
    `SQL API of Analytics Engine: ${figuresOf(configOf(deployment).dataset ?? '<no dataset>')}`,
    'a question: whether the new build gets all requests',
  ],
  async run(deployment) {
    const { ask, say } = deployment;
    const { old, new: build } = await readSplit(deployment);
    for (const line of await compare(deployment, old, build!).catch(unread)) say(`      ${line}`);
    if (await ask(`Give ${build} all requests?`)) return 'accepted';
    throw new Error(
      `${build} goes on answering ${deployment.share} % of the requests. Run the command again to compare again, or take it back: npm run deploy -- --env ${deployment.environment} --abort`,
    );
  },
};

/** The builds are compared elsewhere then, such as on the dashboard; the question is asked all the same. */
const unread = ({ message }: Error) => [`the data points could not be read: ${message}`];

async function compare(deployment: Deployment, old: string, build: string): Promise<string[]> {
  const { analytics, pause } = deployment;
  const { dataset } = configOf(deployment);
  if (dataset === undefined) throw new Error('wrangler.toml names no dataset');
  const read = async () => {
    const rows = await analytics(figuresOf(dataset));
    const figures = (id: string): Figures => {
      const row = rows.find(({ build }) => build === id);
      const [requests, failures, p95] = [row?.requests, row?.failures, row?.p95].map(Number);
      return row ? { requests: requests!, failures: failures!, p95: p95! } : nothing;
    };
    return { old: figures(old), new: figures(build) };
  };
  let found = await read();
  for (let tries = 1; tries < comparisonTries && found.new.requests < enoughRequests; tries++) {
    await pause(comparisonPauseMilliseconds);
    found = await read();
  }
  return [`old ${old}: ${wordsOf(found.old)}`, `new ${build}: ${wordsOf(found.new)}`];
}

const nothing: Figures = { requests: 0, failures: 0, p95: 0 };

function wordsOf({ requests, failures, p95 }: Figures): string {
  if (requests === 0) return 'no requests';
  const share = ((100 * failures) / requests).toFixed(2);
  return `${requests} requests, ${failures} failures (${share} %), 95 % within ${p95} ms`;
}

/** `versions deploy` leaves domains, cron and queues as the old build had them. */
const promotion: Step = {
  title: 'All requests',
  plan: (deployment) => [
    typed(...sharing(deployment, '<new>@100')),
    typed('triggers', 'deploy', ...env(deployment)),
  ],
  async run(deployment) {
    const { wrangler, build, configPath, environment } = deployment;
    await wrangler(sharing(deployment, `${build}@100`));
    const printed = await wrangler(['triggers', 'deploy', ...env(deployment)]);
    deployment.address = addressIn(printed) ?? domainAddress(configPath, environment);
    return `build ${build}, ${deployment.address ?? 'without an address'}`;
  },
};

export const gradualSteps = stepsWith([newBuild, comparison, promotion], [oldBuild]);

const oldBuildAlone: Step = {
  title: 'Old build alone',
  plan: (deployment) => [typed(...sharing(deployment, '<old>@100'))],
  async run(deployment) {
    const split = await readSplit(deployment);
    if (split.new === undefined) return `nothing to take back: only ${split.old} answers`;
    await deployment.wrangler(sharing(deployment, `${split.old}@100`));
    return `${split.old} answers all requests`;
  },
};

export const abortSteps: readonly Step[] = [loginStep, oldBuildAlone];
