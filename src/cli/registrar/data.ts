import type { Registrar } from '../../registrar/account.ts';

/** A registrar as commands answer it with --json. */
export function registrarData(registrar: Registrar) {
  return {
    code: registrar.code,
    name: registrar.name,
    allowed_ips: registrar.allowedIps,
    webhook_url: registrar.webhookUrl,
    contact_count: registrar.contactCount,
    created_at: registrar.createdAt,
    updated_at: registrar.updatedAt,
  };
}
