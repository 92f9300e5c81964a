import * as z from 'zod/mini';
import { retainedStatuses } from '../../../../drizzle/schema.ts';
import { retried } from '../../../base/database/retry.ts';
import { zonesOf } from '../../../base/env.ts';
import { throwProblems } from '../../../base/error.ts';
import { onFirstUse } from '../../../base/on-first-use.ts';
import { clearable } from '../../../base/text/field.ts';
import { listsShowing } from '../../../list/lists.ts';
import { findZoneProblems } from '../../../name/domain/zone.ts';
import { removeRetainedDomains } from '../../../name/retained/change-names.ts';
import { secretOfName } from '../../../name/retained/password.ts';
import { saveRetainedDomain } from '../../../name/retained/save.ts';
import { database } from '../request/context.ts';
import { newApp } from '../request/hono.ts';
import { limitBody, parseBody } from '../request/input.ts';
import { publishAfterResponse } from '../request/publish-after-response.ts';
import { requestedName } from '../request/requested-name.ts';
import { may, originOf } from './login.ts';

export const internalRetainedDomains = newApp();

internalRetainedDomains.use(may('retained'));

export const reservationBody = onFirstUse(() =>
  z.object({
    password: clearable(secretOfName()),
    last_day: clearable(z.iso.date('is not a day in the calendar; write it like 2026-01-31')),
  }),
);

/** A blocked name has neither field. */
const blockBody = onFirstUse(() => z.object({}));

for (const status of retainedStatuses) {
  const shape = status === 'reserved' ? reservationBody : blockBody;

  internalRetainedDomains.put(`/:name/${status}`, limitBody, async (c) => {
    const { name, punycode } = requestedName(c);
    throwProblems(findZoneProblems([{ name }], zonesOf(c.env)));
    const given: Partial<z.output<ReturnType<typeof reservationBody>>> = await parseBody(
      c,
      shape(),
      { isOptional: true },
    );
    const { isNew, lastDay, password } = await saveRetainedDomain(
      database(c),
      originOf(c),
      { name, punycode },
      status,
      { password: given.password ?? undefined, lastDay: given.last_day },
    );
    publishAfterResponse(c, listsShowing([status]));
    const shown = { name, punycode_name: punycode, status, last_day: lastDay, password };
    return c.json(shown, isNew ? 201 : 200);
  });

  internalRetainedDomains.delete(`/:name/${status}`, async (c) => {
    const name = { ...requestedName(c), status };
    await retried(() => removeRetainedDomains(database(c), originOf(c), [name]));
    publishAfterResponse(c, listsShowing([status]));
    return c.body(null, 204);
  });
}
