import type { Deployment, Step } from './deployment.ts';
import { configOf } from './resources.ts';

/** Checks from outside that the Worker answers nowhere past the rules of the registry's zone. */
export const otherAddressesStep: Step = {
  title: 'Other addresses',
  commands: (deployment) => [
    {
      words: 'GET /health at the addresses below workers.dev, which must not answer',
      run: () => checkOtherAddresses(deployment),
    },
  ],
};

/** Throws an Error that names the first address which answers. */
async function checkOtherAddresses(deployment: Deployment): Promise<string> {
  const { address, build = '', fetch, subdomain } = deployment;
  const account = await subdomain();
  if (account === undefined) return 'the account has none';
  const host = `${configOf(deployment).worker}.${account}.workers.dev`;
  // An address of a version begins with the first eight digits of its id.
  const others = [`https://${build.slice(0, 8)}-${host}`];
  if (address !== undefined && address !== `https://${host}`) others.push(`https://${host}`);
  for (const other of others) {
    const response = await fetch(`${other}/health`).catch(() => undefined);
    if (response?.ok) {
      throw new Error(
        `${other} answers with this deployment's data, past the rules of the zone: wrangler.toml needs preview_urls = false, and workers_dev = false once there are routes`,
      );
    }
  }
  return `no answer from ${others.join(' and ')}`;
}
