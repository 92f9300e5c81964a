ALTER TABLE `idempotency_keys` ADD `outcome` text;
--> statement-breakpoint
-- Outcomes of the answers that the version before this one kept: a registrar's names the contact, a registrant's is the contact.
UPDATE idempotency_keys SET outcome = iif(body ->> '$.data.contact.id' IS NULL, 'null', json_object(
  'code', body ->> '$.data.contact.id',
  'version', (
    SELECT substr(uuid, 1, 8) || '-' || version || iif(domain_count > 0, '-linked', '')
    FROM contacts WHERE code = body ->> '$.data.contact.id'
  )
)) WHERE caller LIKE 'registrar:%';
--> statement-breakpoint
UPDATE idempotency_keys SET outcome = json_object(
  'uuid', body ->> '$.id', 'name', body ->> '$.name', 'code', body ->> '$.code',
  'ident', body ->> '$.ident.code', 'identType', body ->> '$.ident.type', 'identCountryCode', body ->> '$.ident.country_code',
  'email', body ->> '$.email', 'phone', body ->> '$.phone', 'fax', body ->> '$.fax',
  'street', body ->> '$.address.street', 'city', body ->> '$.address.city', 'zip', body ->> '$.address.zip',
  'state', body ->> '$.address.state', 'countryCode', body ->> '$.address.country_code',
  'authInfo', body ->> '$.auth_info', 'statuses', body -> '$.statuses', 'domainCount', 0,
  'disclosedAttributes', body -> '$.disclosed_attributes',
  'version', ifnull((SELECT version FROM contacts WHERE uuid = body ->> '$.id'), 1)
) WHERE caller LIKE 'registrant:%';
