import { retry } from '../../../base/database/retry.ts';
import {
  type Renewed,
  renewContactKeys,
  renewFormerKeys,
} from '../../../contact/operator/rekey.ts';
import { countText } from '../../../view/text.ts';
import { writeCommand } from '../../command.ts';
import { verb } from '../../run.ts';

export const rekey = verb(
  writeCommand('rekey', 'contact rekey')
    .description('Renew the keys by which contacts are found, as the runbook says; may be repeated')
    .addHelpText(
      'after',
      '\nKeys are made by the release that writes a contact. This replaces those of other releases, and changes no value.',
    ),
  async ({ db, isDryRun = false, did }) => {
    const renewAll = async (renew: typeof renewContactKeys) => {
      let total = 0;
      let after: number | undefined = Number.MIN_SAFE_INTEGER;
      while (after !== undefined) {
        const renewed: Renewed = await retry(() => renew(db, after!, { isDryRun }));
        total += renewed.count;
        after = renewed.last;
      }
      return total;
    };
    const contacts = await renewAll(renewContactKeys);
    const former = await renewAll(renewFormerKeys);
    const text = `${did('renew')} the keys of ${countText(contacts, 'contact')} and ${countText(former, 'former contact')}`;
    return { data: { contacts, former, changed: contacts + former > 0 }, text };
  },
);
