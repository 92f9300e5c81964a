import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dayOf } from '../../../src/base/time/day.ts';
import { getContactByCode } from '../../../src/contact/contact.ts';
import { loadDemoData } from '../../../src/dev/demo/load.ts';
import { importDomains } from '../../../src/name/domain/operator/import.ts';
import { removeDomains } from '../../../src/name/domain/save.ts';
import { openDispute } from '../../../src/name/retained/operator/dispute.ts';
import { listCronRuns } from '../../../src/view/alarm.ts';
import { answerOf } from '../../support/client.ts';
import { newContact } from '../../support/fixtures.ts';
import { startSandbox } from '../../support/worker.ts';
import { sandboxClients } from './clients.ts';

const worker = startSandbox();
const { fetch } = worker;
const { asRegistrar, asRegistrant, alpha, currentTime, loginOfJaan } = sandboxClients(worker);

const post = (path: string, body?: unknown) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = { 'Content-Type': 'application/json' };
  return answerOf(fetch(`/sandbox/${path}`, { method: 'POST', headers, body: text ?? null }));
};

/** Two minutes after the midnight that begins the day so many days from now. */
async function dayAhead(days: number): Promise<string> {
  const now = await currentTime();
  return `${dayOf(new Date(now.getTime() + days * 24 * 60 * 60 * 1000))}T00:02:00.000Z`;
}

async function disputedNames(): Promise<string[]> {
  const { body } = await answerOf(fetch('/repp/v1/retained_domains?type=disputed'));
  return body.domains.map(({ name }: { name: string }) => name);
}

beforeAll(async () => {
  await loadDemoData(worker.env);
});

async function reset() {
  expect((await post('reset')).status).toBe(200);
}

describe('the clock', () => {
  beforeAll(reset);

  const either = { base: ['either now or advance is required'] };
  const [noTime, noDuration] = ['is not an ISO 8601 date-time', 'is not an ISO 8601 duration'];
  const tooFar = 'is more than 366 days ahead';
  const noObject = { base: ['Request body is not a JSON object'] };

  it.each<[body: unknown, errors: Record<string, string[]>]>([
    [{}, either],
    [{ now: '2999-01-01T00:00:00Z', advance: 'P1D' }, either],
    [{ now: '2999-01-01' }, { now: [tooFar] }],
    [{ now: 1 }, { now: [noTime] }],
    [{ advance: 'week' }, { advance: [noDuration] }],
    [{ advance: 'P' }, { advance: [noDuration] }],
    [
      { now: '2020-01-01T00:00:00Z' },
      { now: ['is before the time of the sandbox, which only a reset sets back'] },
    ],
    [{ now: '2999-01-01T00:00:00Z' }, { now: [tooFar] }],
    [{ advance: 'P999999Y' }, { advance: [tooFar] }],
    [[], noObject],
    ['{"now"', noObject],
    ['', noObject],
  ])('the clock refuses %j and does not move', async (body, errors) => {
    expect(await post('clock', body)).toEqual({ status: 400, body: { errors } });
    expect(dayOf(await currentTime())).toBe(dayOf(new Date()));
  });

  it('other methods and paths below /sandbox are answered as everywhere', async () => {
    const wrong = await fetch('/sandbox/clock', { method: 'DELETE' });
    expect([wrong.status, wrong.headers.get('Allow')]).toEqual([405, 'GET, HEAD, POST']);
    expect(await answerOf(fetch('/sandbox/tide'))).toEqual({
      status: 404,
      body: { errors: { base: ['Not found'] } },
    });
  });
});

describe('moving the clock', () => {
  beforeEach(reset);

  it('moving the clock goes on from where it is set', async () => {
    const now = await dayAhead(3);
    const { status, body } = await post('clock', { now });
    expect(status).toBe(200);
    expect(body.now.slice(0, 10)).toBe(now.slice(0, 10));
    expect((await currentTime()).getTime()).toBeGreaterThanOrEqual(Date.parse(body.now));
    await post('clock', { advance: 'P1DT1H' });
    expect((await currentTime()).getTime()).toBeGreaterThanOrEqual(
      Date.parse(now) + 25 * 60 * 60 * 1000,
    );
  });

  it('moving the clock begins and ends a dispute', async () => {
    const first = await dayAhead(2);
    const last = await dayAhead(3);
    const after = await dayAhead(4);
    await openDispute(worker.operation, {
      ...{ name: 'piip.ee', punycode: 'piip.ee' },
      ...{ firstDay: dayOf(new Date(first)), lastDay: dayOf(new Date(last)) },
    });
    await post('clock', { now: await dayAhead(1) });
    expect(await disputedNames()).not.toContain('piip.ee');
    await post('clock', { now: first });
    expect(await disputedNames()).toContain('piip.ee');
    await post('clock', { now: last });
    expect(await disputedNames()).toContain('piip.ee');
    await post('clock', { now: after });
    expect(await disputedNames()).not.toContain('piip.ee');
  });

  it('moving the clock makes a token expire', async () => {
    const jaan = await loginOfJaan();
    await post('clock', { advance: 'PT1H50M' });
    expect((await asRegistrant.list(jaan)).status).toBe(200);
    await post('clock', { advance: 'PT11M' });
    expect((await asRegistrant.list(jaan)).status).toBe(401);
    expect((await asRegistrant.list(await loginOfJaan())).status).toBe(200);
  });

  it('moving the clock runs the cron for every day in between, each at its own time', async () => {
    const days = [await dayAhead(1), await dayAhead(2), await dayAhead(3)];
    await post('clock', { now: days[2] });
    const runs = (await listCronRuns(worker.db, 100)).filter(({ cron }) => cron === '1 0 * * *');
    expect(runs.map(({ startedAt }) => startedAt.slice(0, 16)).reverse()).toEqual(
      days.map((day) => day.replace('00:02:00.000Z', '00:01')),
    );
    expect(runs.flatMap(({ failed }) => failed)).toEqual([]);
  });

  it('moving the clock moves the time at which a contact loses its last domain', async () => {
    const code = 'ALPHA:HEINO';
    await asRegistrar.create(alpha, newContact({ id: 'heino' }));
    const name = 'heino.ee';
    const domain = { name, punycode: name, registrar: 'ALPHA', registrant: code };
    await importDomains(worker.operation, [{ ...domain, admin: [code], tech: [code] }]);
    const now = await dayAhead(3);
    await post('clock', { now });
    await removeDomains(worker.operation, [name]);
    const { unlinkedAt } = await getContactByCode(worker.db, code);
    expect(unlinkedAt!.slice(0, 10)).toBe(now.slice(0, 10));
  });
});

describe('a reset', () => {
  beforeAll(reset);

  /** The demo data as clients see it. */
  const shown = async () => ({
    contacts: (await asRegistrar.list(alpha, '?details=true')).body,
    auctions: (await answerOf(fetch('/api/v1/auctions'))).body,
    lists: (await fetch('/repp/v1/retained_domains')).headers.get('ETag'),
    inAuction: (await answerOf(fetch('/repp/v1/auctions'))).body,
    counts: await worker.env.LISTS.get('daily-counts'),
    history: (await asRegistrar.request(alpha, 'GET', '/ALPHA:TAMM/history')).status,
  });

  it('a reset brings back the demo data and the real time, as often as it is asked for', async () => {
    const before = await shown();
    for (let time = 0; time < 2; time++) {
      await asRegistrar.create(alpha, newContact({ id: 'mets' }));
      await asRegistrar.delete(alpha, 'ALPHA:KUUSK');
      await openDispute(worker.operation, {
        ...{ name: 'piip.ee', punycode: 'piip.ee' },
        ...{ firstDay: '2026-01-01', lastDay: '2998-01-01' },
      });
      await post('clock', { advance: 'P2D' });
      expect(await shown()).not.toEqual(before);

      const { status, body } = await post('reset');
      expect(status).toBe(200);
      expect(dayOf(new Date(body.now))).toBe(dayOf(new Date()));
      expect(await shown()).toEqual(before);
      expect((await answerOf(fetch('/health'))).body.status).toBe('ok');
    }
  });

  it('a reset leaves the database with its guards', async () => {
    await expect(worker.env.DB.prepare('delete from history').run()).rejects.toThrow('append-only');
  });
});
