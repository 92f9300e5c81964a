import * as z from 'zod/mini';
import { retainedStatuses } from '../../../../drizzle/schema.ts';
import { retry } from '../../../base/database/retry.ts';
import { nameRulesOf } from '../../../base/env.ts';
import { RegistryError, throwProblems } from '../../../base/error.ts';
import { onFirstUse } from '../../../base/on-first-use.ts';
import { clearable } from '../../../base/text/field.ts';
import { dayRule } from '../../../base/time/instant.ts';
import { auctionLists, listsShowing } from '../../../list/lists.ts';
import { cancelAuction } from '../../../name/auction/cancel.ts';
import { getAuction } from '../../../name/auction/read.ts';
import { platformRule, startAuction } from '../../../name/auction/start.ts';
import { findRuleProblems } from '../../../name/domain/rules.ts';
import type { DomainName } from '../../../name/name.ts';
import {
  type NameState,
  readNameState,
  readNameStates,
} from '../../../name/registration/name-state.ts';
import { findObstacle, registerDomain } from '../../../name/registration/register.ts';
import { takeBackRegistration } from '../../../name/registration/take-back.ts';
import { removeRetainedDomains } from '../../../name/retained/change-names.ts';
import { saveRetainedDomain, secretOfName } from '../../../name/retained/save.ts';
import { markReplay, writeRequest } from '../request/client-headers.ts';
import { database, newApp } from '../request/context.ts';
import { body, domainNameRule, limitBody, requestedName } from '../request/input.ts';
import { bodyOfNames, ownName, readName, requestedOwnName } from '../request/names.ts';
import { publishAfterResponse } from '../request/publish-after-response.ts';
import { auctionRepresentation, forgetStarted } from '../request/recent.ts';
import { domainIn, domainObject, domainRepresentation, throttleOthers } from './domains.ts';
import { may, operationOf } from './login.ts';

export const internalNames = newApp();

internalNames.get('/:name', async (c) => {
  const name = requestedOwnName(c);
  const state = await retry(() => readNameState(database(c), name.name, c.var.now));
  return c.json(stateRepresentation(name, state));
});

const maximumNames = 100;

export const nameCheckBody = onFirstUse(() => bodyOfNames(maximumNames));

internalNames.post('/check', limitBody, body(nameCheckBody), async (c) => {
  const { names } = c.req.valid('json');
  await throttleOthers(c, names.length);
  const rules = nameRulesOf(c.env);
  const read = names.map(readName).map(({ given, domain, error }) => {
    const [problem] = domain ? findRuleProblems([domain], rules) : [];
    const reason = problem?.obstacle ?? 'invalid_name';
    return {
      given,
      domain: problem ? undefined : domain,
      error: problem?.message ?? error,
      reason,
    };
  });
  const allowed = read.flatMap(({ domain }) => domain?.name ?? []);
  const states = await retry(() => readNameStates(database(c), allowed, c.var.now));
  const stateOf = new Map(allowed.map((name, index) => [name, states[index]!]));
  return c.json({
    results: read.map(({ given, domain, error, reason: fault }) => {
      if (!domain) return { name: given, error, reason: fault };
      const state = stateOf.get(domain.name)!;
      const reason = findObstacle(domain.name, state, c.var.now)?.obstacle;
      return { ...stateRepresentation(domain, state), available: reason === undefined, reason };
    }),
  });
});

function stateRepresentation({ name, punycode }: DomainName, state: NameState) {
  const { auction } = state;
  return {
    name,
    punycode_name: punycode,
    blocked: state.isBlocked,
    disputed: state.dispute !== undefined,
    reserved: state.reservation !== undefined,
    auction: auction
      ? {
          id: auction.uuid,
          status: auction.status,
          registration_deadline: auction.registrationDeadline,
        }
      : null,
    registered: state.isRegistered,
  };
}

export const registrationBody = onFirstUse(() => {
  const secret = () => clearable(secretOfName());
  return z.object({ domain: domainObject(), registration_code: secret(), password: secret() });
});

internalNames.post(
  '/:name/registration',
  may('domains'),
  limitBody,
  ownName(),
  body(registrationBody),
  async (c) => {
    const name = c.req.valid('param');
    const given = c.req.valid('json');
    const record = { admin: [], tech: [], ...domainIn(name, given.domain) };
    // EPP has one field for both, so either serves as what the name needs.
    const secrets = [given.registration_code, given.password].filter((secret) => secret != null);
    const { system } = c.var;
    const done = await registerDomain(operationOf(c), system, record, secrets);
    if (done.isDisputeClosed) publishAfterResponse(c, listsShowing(['disputed']));
    return c.json({ domain: domainRepresentation(record) }, done.isNew ? 201 : 200);
  },
);

internalNames.delete('/:name/registration', may('domains'), async (c) => {
  const name = requestedName(c);
  const isDisputed = await takeBackRegistration(operationOf(c), c.var.system, name);
  if (isDisputed) publishAfterResponse(c, listsShowing(['disputed']));
  return c.body(null, 204);
});

export const internalRetainedDomains = newApp();

internalRetainedDomains.use(may('retained'));

export const reservationBody = onFirstUse(() =>
  z.object({
    password: clearable(secretOfName()),
    last_day: clearable(dayRule('is not a day in the calendar; write it like 2026-01-31')),
  }),
);

const blockBody = onFirstUse(() => z.object({}));

for (const status of retainedStatuses) {
  const shape = status === 'reserved' ? reservationBody : blockBody;
  const takesDetails = body(shape, { isOptional: true });

  internalRetainedDomains.put(
    `/:name/${status}`,
    limitBody,
    ownName(status),
    takesDetails,
    async (c) => {
      const { name, punycode } = c.req.valid('param');
      const given: Partial<z.output<ReturnType<typeof reservationBody>>> = c.req.valid('json');
      const { isNew, lastDay, password } = await saveRetainedDomain(
        operationOf(c),
        { name, punycode },
        status,
        { password: given.password ?? undefined, lastDay: given.last_day },
      );
      publishAfterResponse(c, listsShowing([status]));
      const shown = { name, punycode_name: punycode, status, last_day: lastDay, password };
      return c.json(shown, isNew ? 201 : 200);
    },
  );

  internalRetainedDomains.delete(`/:name/${status}`, async (c) => {
    const name = { ...requestedName(c), status };
    await retry(() => removeRetainedDomains(operationOf(c), [name]));
    publishAfterResponse(c, listsShowing([status]));
    return c.body(null, 204);
  });
}

export const internalAuctions = newApp();

internalAuctions.use(may('auctions'));

export const startBody = onFirstUse(() =>
  z.object({
    auction: z.object(
      { domain: domainNameRule(), platform: clearable(platformRule()) },
      'is not an object',
    ),
  }),
);

internalAuctions.post('/', limitBody, body(startBody), async (c) => {
  const { domain, platform = null } = c.req.valid('json').auction;
  const problems = findRuleProblems([domain], nameRulesOf(c.env));
  throwProblems(problems.map((problem) => ({ ...problem, field: 'domain' })));
  const { db, origin } = operationOf(c);
  const request = await writeRequest(c);
  const started = startAuction({ db, origin: { ...origin, request } }, domain, platform);
  const { outcome, isReplay } = await started.finally(() => forgetStarted(c.env.DB));
  publishAfterResponse(c, auctionLists);
  markReplay(c, isReplay);
  return c.json(auctionRepresentation(outcome), outcome.isNew ? 201 : 200);
});

internalAuctions.get('/:uuid', async (c) => {
  const auction = await retry(() => getAuction(database(c), c.req.param('uuid')));
  return c.json({
    ...auctionRepresentation(auction),
    registration_deadline: auction.registrationDeadline,
  });
});

internalAuctions.delete('/:uuid', async (c) => {
  const auction = c.req.param('uuid');
  // A text with a dot would be read as a name.
  if (auction.includes('.')) throw new RegistryError('invalid', 'is not a UUID', 'uuid');
  const operation = operationOf(c);
  const reason = `cancelled by ${operation.origin.actor.name}`;
  try {
    await cancelAuction(operation, { auction, reason });
  } catch (error) {
    if (!(error instanceof RegistryError && error.reason === 'not_found')) throw error;
  } finally {
    forgetStarted(c.env.DB);
  }
  publishAfterResponse(c, auctionLists);
  return c.body(null, 204);
});
