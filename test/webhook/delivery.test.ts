import { readFileSync } from 'node:fs';
import { eq } from 'drizzle-orm';
import { describe, expect, it, vi } from 'vitest';
import { notifications, webhooks } from '../../drizzle/schema.ts';
import { runCron } from '../../src/cron.ts';
import { updateRegistrar } from '../../src/registrar/account.ts';
import { generateWebhookSecret } from '../../src/registrar/webhook-secret.ts';
import { deliver } from '../../src/webhook/deliver.ts';
import { endOldDeliveries } from '../../src/webhook/outbox.ts';
import { addContact, operator } from '../fixtures.ts';
import { type Received, verified } from './endpoint.ts';
import { startPushing } from './pushing.ts';

const { worker, endpoint, world, sender, changeEmail, cron, pass, deliveries } = startPushing();

describe('a delivery', () => {
  it('is signed as Standard Webhooks says, and names the change without any personal data', async () => {
    await changeEmail('new@example.ee');
    await cron();
    await pass(0);
    const [request] = endpoint.received;
    const [notification] = await worker.db
      .select()
      .from(notifications)
      .where(eq(notifications.contactCode, world.contact.code));
    expect(verified(world.secret, request!)).toEqual({
      type: 'contact.updated',
      timestamp: notification!.createdAt,
      data: {
        id: notification!.id,
        text: `Contact ${world.contact.code} has been updated by registrant`,
        attached_obj_type: 'Contact',
        attached_obj_id: world.contact.code,
        created_at: notification!.createdAt,
        fields: ['email'],
      },
    });
    expect(request!.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': expect.stringMatching(/^msg_[0-9a-f]{32}$/),
    });
    expect(() => verified(generateWebhookSecret(), request!)).toThrow('No matching signature');
    expect(() => verified(world.secret, { ...request!, body: `${request!.body} ` })).toThrow();
    expect(await deliveries()).toMatchObject([
      {
        attempts: 1,
        outcome: 'HTTP 204',
        deliveredAt: world.queue.now.toISOString(),
        failedAt: null,
      },
    ]);
  });

  it('is verified by the example of the documentation, which refuses what was changed or is old', async () => {
    await changeEmail();
    await cron();
    await pass(0);
    const [{ headers, body }] = endpoint.received as [Received];
    const [, example] = /```js\n(import \{ createHmac[\s\S]*?)```/.exec(
      readFileSync('src/http/README.md', 'utf8'),
    )!;
    const { verify } = await import(`data:text/javascript,${encodeURIComponent(example!)}`);
    expect(verify(world.secret, headers, body)).toEqual(JSON.parse(body));
    expect(() => verify(generateWebhookSecret(), headers, body)).toThrow('not from the registry');
    expect(() => verify(world.secret, headers, `${body} `)).toThrow('not from the registry');
    vi.spyOn(Date, 'now').mockReturnValue(world.queue.now.getTime() + 301_000);
    expect(() => verify(world.secret, headers, body)).toThrow('not from the registry');
  });

  it('is not made for a registrar without a webhook, nor for what changed nothing', async () => {
    await changeEmail(world.contact.email);
    await worker.db.delete(webhooks).where(eq(webhooks.registrarId, world.registrar.id));
    await changeEmail();
    expect(await deliveries()).toEqual([]);
  });

  it('of what the scheduled run itself did is queued in the same run', async () => {
    const orphan = await addContact(worker.env, world.registrar, {
      createdAt: '2020-01-01T00:00:00.000Z',
    });
    const env = { ...worker.env, ORPHAN_CONTACT_MONTHS: '12', WEBHOOKS: world.queue as never };
    await runCron('31 * * * *', env, {});
    await pass(0);
    expect(endpoint.received.map(({ body }) => JSON.parse(body))).toMatchObject([
      { type: 'contact.deleted', data: { attached_obj_id: orphan.code, fields: [] } },
    ]);
  });

  it('follows no redirect', async () => {
    endpoint.answerWith((response) => response.writeHead(302, { Location: endpoint.url }).end());
    await changeEmail();
    await cron();
    await pass(0);
    expect(endpoint.received).toHaveLength(1);
    expect(await deliveries()).toMatchObject([{ outcome: 'HTTP 302', deliveredAt: null }]);
  });

  it('never goes to a private network, even where the row says so', async () => {
    await changeEmail();
    const [delivery] = await deliveries();
    const isDone = await deliver(worker.db, delivery!.id, { ...sender(), isLocal: false });
    expect(isDone).toBe(false);
    expect(endpoint.received).toEqual([]);
    expect(await deliveries()).toMatchObject([
      { outcome: 'the webhook must begin with https://', deliveredAt: null },
    ]);
  });

  it('is given up when the webhook is removed, and nothing is sent', async () => {
    await changeEmail();
    await cron();
    await updateRegistrar(worker.db, operator, world.registrar.code, { webhookUrl: null });
    await pass(100);
    expect(endpoint.received).toEqual([]);
    expect(await deliveries()).toMatchObject([
      { outcome: 'the registrar has no webhook any more', failedAt: expect.any(String) },
    ]);
  });

  it('is kept in the list for 30 days, and open for a week at most', async () => {
    await changeEmail();
    const later = (days: number) => new Date(world.queue.now.getTime() + days * 86_400_000 + 1);
    await endOldDeliveries(worker.db, later(6));
    expect(await deliveries()).toMatchObject([{ failedAt: null }]);
    await endOldDeliveries(worker.db, later(7));
    expect(await deliveries()).toMatchObject([{ failedAt: later(7).toISOString() }]);
    expect(world.warned).toHaveBeenCalledExactlyOnceWith(
      '{"level":"warn","event":"webhooks_given_up","deliveries":1}',
    );
    await endOldDeliveries(worker.db, later(30));
    expect(await deliveries()).toEqual([]);
  });
});
