import {
  answerOf,
  type Fetching,
  registrantClient,
  registrarClient,
} from '../../support/client.ts';
import { basic } from '../../support/fixtures.ts';

/** Clients of a sandbox with the demo data. */
export function sandboxClients({ fetch }: Fetching) {
  return {
    asRegistrar: registrarClient({ fetch }),
    asRegistrant: registrantClient({ fetch }),
    alpha: { authorization: basic('alpha', 'alpha-demo-secret') },
    async currentTime(): Promise<Date> {
      const { body } = await answerOf(fetch('/sandbox/clock'));
      return new Date(body.now);
    },
    /** Jaan, with a token that is issued now. */
    async loginOfJaan() {
      const person = { ident: '38001085718', first_name: 'Jaan', last_name: 'Tamm' };
      const headers = { 'Content-Type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(person) };
      const { body } = await answerOf(fetch('/api/v1/registrant/auth/eid', init));
      return { authorization: `Bearer ${body.access_token}` };
    },
  };
}
