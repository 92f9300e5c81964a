-- Writes the data of an internetee/registry database as the files that move-in reads, to the current directory:
--
--   umask 077 && mkdir -p ~/moving-in/old && cd ~/moving-in/old
--   psql -X -f CHECKOUT/src/tool/move-in/internetee.sql DATABASE
--
-- One read-only snapshot, on the primary or a standby. The exit status is 0 if the files are whole. They contain
-- passwords. Written for the structure of migration 20260608120000.
--
-- A registrar, contact or domain that is gone is named by its id: #123. Times are in UTC, as that registry stores them.

\set ON_ERROR_STOP on
\set QUIET on
\encoding UTF8

begin isolation level repeatable read read only;
set local datestyle to iso;
set local statement_timeout to 0;

copy (
  select id, code, name, phone, email, website, created_at, updated_at
  from registrars
  order by id
) to stdout (format csv, header) \g registrars.csv

-- A user who may not use the registrar interface there (not active, not verified, or for invoices only) is disabled.
copy (
  select
    coalesce(r.code, '#' || u.registrar_id) as registrar,
    u.username,
    u.plain_text_password as password,
    case
      when u.active and u.verified_at is not null and u.roles && '{super,epp}' then null
      else coalesce(u.updated_at, u.created_at, 'epoch')
    end as disabled_at,
    u.created_at,
    u.updated_at
  from users u
  left join registrars r on r.id = u.registrar_id
  where u.type = 'ApiUser'
  order by u.id
) to stdout (format csv, header) \g api-users.csv

-- SHA-256 of a certificate. Those that have ended, are revoked or are for the portal let nobody in here.
copy (
  select
    coalesce(u.username, '#' || c.api_user_id) as username,
    encode(sha256(decode(
      substring(c.crt from '-----BEGIN CERTIFICATE-----(.*?)-----END CERTIFICATE-----'), 'base64'
    )), 'hex') as fingerprint,
    c.common_name,
    c.expires_at,
    c.created_at
  from certificates c
  left join users u on u.id = c.api_user_id
  where c.interface = 'api' and not c.revoked and c.crt <> ''
    and (c.expires_at is null or c.expires_at > now() at time zone 'UTC')
  order by c.id
) to stdout (format csv, header) \g certificates.csv

-- Addresses matter there only if this setting is on. Then a registrar without one may call from nowhere; here it would
-- from everywhere, so it gets an address that nobody calls from.
copy (
  select
    coalesce(r.code, '#' || a.registrar_id) as registrar,
    coalesce(a.address, '0.0.0.0/32') as address
  from (
    select distinct w.registrar_id, given.address
    from white_ips w
    cross join lateral (values (w.ipv4), (w.ipv6)) as given (address)
    where w.interfaces @> '{api}' and w.committed and given.address <> ''
  ) a
  full join registrars r on r.id = a.registrar_id
  where exists (
    select from setting_entries where code = 'api_ip_whitelist_enabled' and value = 'true'
  )
  order by coalesce(r.id, a.registrar_id), a.address
) to stdout (format csv, header) \g allowed-ips.csv

-- Only the identity is verified there, by eeID; a table without these columns (before 2026) has none of it. Of a request
-- that is not answered yet, the number is not known.
copy (
  select
    c.id, coalesce(r.code, '#' || c.registrar_id) as registrar, c.uuid, c.name, c.code,
    c.ident, c.ident_type, c.ident_country_code, c.email, c.phone, c.fax,
    c.street, c.zip, c.city, c.state, c.country_code, c.org_name, c.auth_info,
    to_json(array_remove(c.statuses, null)) as statuses, hstore_to_json(c.status_notes) as status_notes,
    to_json(c.disclosed_attributes) as disclosed_attributes, c.legacy_id,
    case when v.verified_at is not null then json_build_object(
      'id', coalesce(nullif(v.verification_id, ''), c.uuid || ' ' || v.verified_at),
      'method', 'eid',
      'verified_at', v.verified_at || 'Z',
      'verified_by', 'former registry'
    ) end as identity_verification,
    case when v.ident_request_sent_at is not null and v.verification_id <> '' then json_strip_nulls(json_build_object(
      'id', v.verification_id,
      'sent_at', v.ident_request_sent_at || 'Z',
      'decided_at', v.verified_at || 'Z'
    )) end as identity_request,
    c.creator_str, c.updator_str, c.created_at, c.updated_at
  from contacts c
  cross join jsonb_to_record(to_jsonb(c)) as v (verified_at text, verification_id text, ident_request_sent_at text)
  left join registrars r on r.id = c.registrar_id
  order by c.id
) to stdout (format csv, header) \g contacts.csv

copy (
  select d.name, coalesce(r.code, '#' || d.registrar_id) as registrar, d.created_at
  from domains d
  left join registrars r on r.id = d.registrar_id
  order by d.id
) to stdout (format csv, header) \g domains.csv

copy (
  select
    coalesce(d.name, '#' || link.domain_id) as domain,
    coalesce(c.code, '#' || link.contact_id) as contact,
    link.role
  from (
    select id as domain_id, registrant_id as contact_id, 'registrant' as role, 0 as id
    from domains
    union all
    select
      domain_id,
      contact_id,
      case type when 'AdminDomainContact' then 'admin' when 'TechDomainContact' then 'tech' else type end,
      id
    from domain_contacts
  ) link
  left join domains d on d.id = link.domain_id
  left join contacts c on c.id = link.contact_id
  order by link.domain_id, link.id
) to stdout (format csv, header) \g domain-contacts.csv

-- A name is reserved until it expires: one that expires at midnight has its last day the day before.
copy (
  select name, password, (expire_at - interval '1 microsecond')::date as last_day, created_at
  from reserved_domains
  order by id
) to stdout (format csv, header) \g reserved.csv

copy (
  select name, created_at
  from blocked_domains
  order by id
) to stdout (format csv, header) \g blocked.csv

copy (
  select
    domain_name as name,
    starts_at as first_day,
    expires_at as last_day,
    password,
    comment,
    initiator,
    closed as closed_at,
    created_at
  from disputes
  order by id
) to stdout (format csv, header) \g disputes.csv

copy (
  select
    uuid,
    domain as name,
    status,
    registration_code,
    registration_deadline,
    case platform when 0 then 'auto' when 1 then 'manual' else platform::text end as platform,
    created_at,
    created_at as updated_at
  from auctions
  order by id
) to stdout (format csv, header) \g auctions.csv

commit;
