import { seedRegistrar } from '../support/seed.ts';
import { atLeast, type Figure } from './figure.ts';
import { compare } from './load.ts';
import { service, startRuntime } from './runtime.ts';

/** The contact list of a registrar against one prepared SELECT of the same rows. */
export async function contacts(): Promise<Figure[]> {
  const runtime = await startRuntime(['one-select']);
  try {
    const { id, authorization } = await seedRegistrar(runtime.env, 1_000);
    const figures: Figure[] = [];
    for (const details of ['true', 'false']) {
      const [, ratio] = await compare([
        { url: runtime.url('one-select', `/?details=${details}&registrar=${id}`), status: 200 },
        {
          url: runtime.url(service, `/repp/v1/contacts?details=${details}`),
          headers: { Authorization: authorization },
          status: 200,
        },
      ]);
      const page = details === 'true' ? 'with details' : 'of codes';
      figures.push(atLeast(`Contact list page ${page}, requests/s`, ratio!, '× one SELECT', 0.8));
    }
    return figures;
  } finally {
    await runtime.stop();
  }
}
