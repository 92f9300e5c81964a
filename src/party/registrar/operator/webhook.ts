import { eq } from 'drizzle-orm';
import { webhooks } from '../../../../drizzle/schema.ts';
import type { Database } from '../../../base/database/open.ts';
import { RegistryError } from '../../../base/error.ts';
import { getRegistrar } from '../account.ts';

export async function getWebhook(db: Database, code: string) {
  const { id } = await getRegistrar(db, code);
  const [webhook] = await db.select().from(webhooks).where(eq(webhooks.registrarId, id));
  if (webhook) return webhook;
  throw new RegistryError('not_found', `registrar ${code} has no webhook`, 'registrar');
}
