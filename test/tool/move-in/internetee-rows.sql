-- Fills the tables with an old registry of :contacts contacts, always the same one. A row in ten is dirty, each in one
-- way: data of twenty years that no rule of today has judged.

\set domains :contacts ' * 3 / 2'
\set names :contacts ' / 5'

-- A number that looks random and depends only on n and the salt.
create function mix(n bigint, salt text) returns int language sql as
  $$ select ('x' || substr(md5(n || salt), 1, 7))::bit(28)::int $$;
create function pick(n bigint, choices text[]) returns text language sql as
  $$ select choices[1 + mix(n, choices::text) % cardinality(choices)] $$;
create function has_dirt(id bigint, kind int) returns boolean language sql as
  $$ select id % 10 = 0 and id / 10 % 30 = kind $$;
create function uuid_of(n bigint, salt text) returns uuid language sql as
  $$ select md5(n || salt)::uuid $$;
create function time_of(n bigint, salt text) returns timestamp language sql as
  $$ select timestamp '2006-01-02 03:04:05.678901' + mix(n, salt) * interval '2.3 seconds' $$;

insert into setting_entries (id, code, value, "group", format, created_at, updated_at)
values (1, 'api_ip_whitelist_enabled', 'true', 'other', 'boolean', '2020-08-12', '2020-08-12');

insert into registrars (
  id, code, name, reg_no, email, address_country_code, address_city, address_street, accounting_customer_code,
    reference_no, language,
  created_at, updated_at
)
select
  n,
  (array['ALPHA', 'BETA', 'GAMMA', 'Gamma', 'ZONE.EE', 'VÄIKE ÕU', 'ÜLE-1'])[n],
  (array['Alpha AS', 'Beta "Domeenid" OÜ', 'Gamma; Registripidaja', 'Gamma, vana', 'Zone', 'Väike Õu', 'Üle'])[n],
  10000000 + n, 'info@example.ee', 'EE', 'Tallinn', 'Pikk 1', n, n, 'et', time_of(n, 'registrar'), time_of(n,
    'registrar')
from generate_series(1, 7) n;

insert into users (
  id, registrar_id, username, plain_text_password, type, roles, active, verified_at, created_at, updated_at
)
values
  (1, 1, 'alpha', 'parool123', 'ApiUser', '{super}', true, '2026-06-01', '2010-01-01', '2026-06-01'),
  (2, 1, 'alpha epp', 'parool123', 'ApiUser', '{epp}', true, '2026-06-01', '2010-01-01', '2026-06-01'),
  (3, 2, 'beta', ' sala, "sõna": õ ', 'ApiUser', '{billing,epp}', true, '2026-06-01', null, null),
  (4, 2, 'beta-arved', 'arved123', 'ApiUser', '{billing}', true, '2026-06-01', '2010-01-01', '2011-01-01'),
  (5, 3, 'gamma', 'gamma123', 'ApiUser', '{super}', false, '2026-06-01', '2010-01-01', '2011-01-01'),
  (6, 3, 'gamma-uus', 'gamma456', 'ApiUser', '{super}', true, null, '2010-01-01', '2011-01-01'),
  (7, 4, 'GAMMA', 'gamma789', 'ApiUser', '{super}', true, '2026-06-01', '2010-01-01', '2011-01-01'),
  (8, 5, 'zone:epp', 'zone1234', 'ApiUser', '{super}', true, '2026-06-01', '2010-01-01', '2011-01-01'),
  (9, 5, null, 'zone1234', 'ApiUser', '{super}', true, '2026-06-01', '2010-01-01', '2011-01-01'),
  (10, 5, 'zone', null, 'ApiUser', '{super}', true, '2026-06-01', '2010-01-01', '2011-01-01'),
  (11, 6, 'alpha', 'õu123456', 'ApiUser', '{super}', true, '2026-06-01', '2010-01-01', '2011-01-01'),
  (12, 6, 'õu', 'õu123456', 'ApiUser', null, null, null, null, '2011-01-01'),
  (13, 99, 'kadunud', 'kadunud1', 'ApiUser', '{super}', true, '2026-06-01', '2010-01-01', '2011-01-01'),
  (14, null, 'ilma', 'ilma1234', 'ApiUser', '{super}', true, '2026-06-01', '2010-01-01', '2011-01-01'),
  (15, null, 'admin', null, 'AdminUser', '{admin}', true, null, '2010-01-01', '2011-01-01'),
  (16, null, 'Mari Maasikas', null, 'RegistrantUser', null, null, null, '2010-01-01', '2011-01-01');

create function pem(content text) returns text language sql as $$
  select E'-----BEGIN CERTIFICATE-----\n' || encode(convert_to(content, 'UTF8'), 'base64') || E'\n-----END CERTIFICATE-----\n'
$$;

insert into certificates (id, api_user_id, csr, crt, common_name, interface, revoked, expires_at, created_at)
values
  (1, 1, null, E'Certificate:\r\n    Data:\r\n' || replace('-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUGNas0NBVAHKRDL2sCxMGyfRcBr8wCgYIKoZIzj0EAwIw
IzERMA8GA1UECgwIQWxwaGEgQVMxDjAMBgNVBAMMBWFscGhhMB4XDTI2MTEyMzA3
MDIxOFoXDTM2MTEyMDA3MDIxOFowIzERMA8GA1UECgwIQWxwaGEgQVMxDjAMBgNV
BAMMBWFscGhhMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEmIvvKze4D5rn0oLg
/pHPE/H1v4MSOfoy+ul69vTk1xv39o2jPPH3LzxfJGjhHvFJt0OKViMqRUESGyb/
sMwMZ6NTMFEwHQYDVR0OBBYEFGIiPIWtdaZ8rckgomgj04gmGjpyMB8GA1UdIwQY
MBaAFGIiPIWtdaZ8rckgomgj04gmGjpyMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZI
zj0EAwIDRwAwRAIgT2JqClZ+7x/JdyD4ZiW502WdTfLj7usFuc4+x1+4j/ICIBu6
PliM4iPS/hBsP0fQv7smBjPe4Qwu4F686llPPjl9
-----END CERTIFICATE-----
', E'\n', E'\r\n'), 'alpha', 'api', false, '2036-11-20 07:02:18', '2026-11-23 07:02:19'),
  (2, 1, null, pem('vana'), 'alpha', 'api', false, '2020-01-01', '2018-01-01'),
  (3, 1, null, pem('tühistatud'), 'alpha', 'api', true, '2040-01-01', '2018-01-01'),
  (4, 1, null, pem('portaal'), 'alpha', 'registrar', false, '2040-01-01', '2018-01-01'),
  (5, 1, 'csr', null, 'alpha', 'api', false, null, '2018-01-01'),
  (6, 3, null, pem('beta'), 'beta, õ', 'api', false, null, '2018-01-01'),
  (7, 3, null, pem('ühine'), null, 'api', false, '2040-01-01', null),
  (8, 2, null, pem('ühine'), '', 'api', false, '2040-01-01', '2018-01-01'),
  (9, 8, null, pem('zone'), 'zone', 'api', false, '2040-01-01', '2018-01-01'),
  (10, 98, null, pem('kadunud'), 'kadunud', 'api', false, '2040-01-01', '2018-01-01'),
  (11, 3, null, 'katki', 'beta', 'api', false, '2040-01-01', '2018-01-01');

insert into white_ips (id, registrar_id, ipv4, ipv6, interfaces, committed)
values
  (1, 1, '192.0.2.1', null, '{api}', true),
  (2, 1, '192.0.2.0/28', '', '{registrar,api}', true),
  (3, 1, null, '2001:0DB8:0000::1', '{api}', true),
  (4, 1, '192.0.2.1', null, '{api}', true),
  (5, 1, '198.51.100.1', null, '{registrar}', true),
  (6, 1, '198.51.100.2', null, '{api}', false),
  (7, 2, null, '2001:db8:1::/64', '{api}', true),
  (8, 2, '203.0.113.7 ', null, '{api}', true),
  (9, 2, '127.0.0.1', '::1', '{api}', true),
  (10, 5, '192.0.2.300', null, '{api}', true),
  (11, 5, '127.0.0.1', null, '{api}', true),
  (12, 99, '203.0.113.99', null, '{api}', true);

insert into contacts (
  id, registrar_id, code, uuid, name, email, phone, ident, ident_type, ident_country_code, street, zip, city,
    country_code,
  auth_info, statuses, status_notes, disclosed_attributes, creator_str, created_at, updated_at
)
select
  n,
  registrar,
  (select code from registrars where id = registrar) || ':' || upper(to_hex(n)),
  uuid_of(n, 'contact'),
  pick(n, '{Mari Maasikas,Jüri Õun,"Žanna, Šveits",O’Neill & pojad OÜ}') || ' ' || n,
  'kontakt' || n || '@näide.ee',
  '+372.5' || lpad((n % 1000000)::text, 6, '0'),
  case when n % 3 = 0 then '1' || lpad((n % 10000000)::text, 7, '0') else '38001085718' end,
  case when n % 3 = 0 then 'org' else 'priv' end,
  'EE',
  pick(n, array[null, 'Pikk 1', 'Pikk 1–2']), '10111', 'Tallinn', 'EE',
  md5(n || 'auth'),
  pick(n, '{"{}","{ok}","{ok,linked}","{serverUpdateProhibited,clientDeleteProhibited}"}')::varchar[],
  pick(n, array[null, '', 'serverUpdateProhibited=>"kohtu määrus"'])::hstore,
  pick(n, '{"{}","{}","{name}","{name,email}"}')::varchar[],
  pick(n, array[null, '1-ApiUser: alpha']),
  time_of(n, 'created'),
  time_of(n, 'created') + mix(n, 'updated') * interval '1 second'
from (select n, pick(n, '{1,2,3,5}')::int as registrar from generate_series(1, :contacts) n) rows;

update contacts set phone = pick(id, array[null, '', ' ', '5123456', '+372 512 3456', '+3725123456', '00372.5123456',
  'puudub'])
where has_dirt(id, 1);
update contacts set email = pick(id, array['', ' ', 'mari', 'mari@', 'Mari <mari@example.ee>', 'a@b.ee, c@d.ee',
  'a@b.ee' || repeat('e', 200)])
where has_dirt(id, 2);
update contacts set ident = pick(id, array[null, '', ' 38001085718', '38001085719', '380-0108 5718', 'puudub',
  repeat('9', 200)])
where has_dirt(id, 3);
update contacts set ident_type = pick(id, array[null, '', 'passport', 'PRIV', 'ico', 'birthday']) where has_dirt(id, 4);
update contacts set ident_country_code = pick(id, array[null, '', 'AN', 'Eesti', 'ee', 'EST', 'Õ1'])
where has_dirt(id, 5);
update contacts set country_code = pick(id, array[null, '', 'AN', 'Eesti', 'ee', 'EST']) where has_dirt(id, 6);
update contacts set name = pick(id, array['', ' ', E'Mari\tMaasikas', E'Mari\r\nMaasikas', E'\x01Mari\x7f', ' Mari ',
  '"Mari"', 'Ma"ri', 'Tamm; Jaan', '<b>', '\N', '\.', 'NULL', '{a,b}', U&'\FEFFMari', U&'Mari\200B', U&'O\0303un',
  '=1+1', '#1', '☃ 👩‍👩‍👧', repeat('Ä', 255)])
where has_dirt(id, 7);
update contacts set zip = pick(id, array[null, '', '10 111', 'EE-10111 Tallinn, Harjumaa', E'10111\n'])
where has_dirt(id, 8);
update contacts set street = pick(id, array[E'Pikk 1\nkorter 2', ' ', repeat('Pikk tänav ', 300), E'\n\n', E'a\\nb',
  E'1\t\x0b2'])
where has_dirt(id, 9);
update contacts set city = pick(id, array[null, '', E'Tal\x02linn']), state = pick(id, array['', ' Harju '])
where has_dirt(id, 10);
update contacts set fax = pick(id, array['', 'puudub', '+372.1']), org_name = pick(id, array['', ' ', 'OÜ "Õ"'])
where has_dirt(id, 11);
update contacts set statuses = pick(id, array[null, '{deleteCandidate}', '{ok,ok}', '{NULL}', '{"",with space}',
  '{"quo\"te","back\\slash","a,b"}'])::varchar[]
where has_dirt(id, 12);
update contacts set status_notes = hstore(
  array['serverUpdateProhibited', 'tundmatu', ''],
  array[pick(id, array[null, '', 'a "b" => c, \d', E'kaks\nrida']), null, 'x'])
where has_dirt(id, 13);
update contacts set disclosed_attributes = pick(id,
  '{"{phone}","{name,address,fax}","{registrant_publishable}","{name,name}"}')::varchar[]
where has_dirt(id, 14);
update contacts set auth_info = pick(id, array['', ' ', E'a\nb', repeat('x', 255)]) where has_dirt(id, 15);
update contacts set code = lower(code) where has_dirt(id, 16);
update contacts set code = repeat(' ', id / 300) where has_dirt(id, 17) and id / 300 < 255;
update contacts set code = pick(id, array['', 'CID:', 'kood ', 'Õ', E'\x03', '"', 'ZZZ:']) || id
where has_dirt(id, 18);
update contacts set code = (select lower(code) from contacts other where other.id = contacts.id - 1)
where has_dirt(id, 19);
update contacts set registrar_id = pick(id, '{98,99}')::int where has_dirt(id, 20);
update contacts set registrar_id = 4 where has_dirt(id, 21);
update contacts set created_at = null where has_dirt(id, 22);
update contacts set created_at = null, updated_at = null where has_dirt(id, 23);
update contacts set updated_at = created_at - interval '40 years' where has_dirt(id, 25);
update contacts set legacy_id = id, creator_str = repeat('x', 300),
  updator_str = pick(id, array['', E'2-AdminUser: "a"\n'])
where has_dirt(id, 24);

-- eeID has identified some, and others are to be.
update contacts set
  ident_request_sent_at = '2026-06-10 08:00:00.123456',
  verification_id = case when id % 8 in (1, 5, 7) then uuid_of(id, 'eeid')::text end,
  verified_at = case when id % 8 in (1, 7) then timestamp '2026-06-10 09:00:00.654321' end,
  verification_pending_at = case when id % 8 = 5 then timestamp '2026-06-10 09:00' end
where id % 2 = 1;
update contacts set verified_at = '2026-06-10', verification_id = pick(id, array[null, '', ' "x", õ'])
where has_dirt(id, 26);
update contacts set verified_at = pick(id, array['infinity', '-infinity', '2999-01-01'])::timestamp,
  ident_request_sent_at = 'infinity', verification_id = 'x'
where has_dirt(id, 27);

insert into domains (
  id, registrar_id, registrant_id, name, name_dirty, name_puny, valid_to, transfer_code, uuid, created_at, updated_at
)
select
  n, pick(n, '{1,2,3,5}')::int, 1 + mix(n, 'registrant') % :contacts, name, name, name, '2030-01-01', 'x',
  uuid_of(n, 'domain'), time_of(n, 'domain'), time_of(n, 'domain')
from (select n, pick(n, '{nimi,õun,müük}') || n || '.ee' as name from generate_series(1, :domains) n) rows;

update domains set name = upper(name) where has_dirt(id, 1);
update domains set name = 'xn--mda.a' || id || '.ee' where has_dirt(id, 2);
update domains set name = pick(id, array['', ' ', 'ei ole nimi', '-', '.ee', 'a..ee', E'a\n.ee']) || id
where has_dirt(id, 3);
update domains set name = (select upper(name) from domains other where other.id = domains.id - 1) where has_dirt(id, 4);
update domains set name = name || '.' where has_dirt(id, 5);
update domains set registrar_id = pick(id, '{98,99}')::int where has_dirt(id, 6);
update domains set registrant_id = 0 where has_dirt(id, 7);
update domains set created_at = null where has_dirt(id, 8);

insert into domain_contacts (id, domain_id, contact_id, type)
select 2 * n - 1, n, 1 + mix(n, 'admin') % :contacts, 'AdminDomainContact' from generate_series(1, :domains) n
union all
select 2 * n, n, 1 + mix(n, 'tech') % :contacts, 'TechDomainContact' from generate_series(1, :domains) n;

update domain_contacts set contact_id = pick(id, array[null, '0'])::int where has_dirt(id, 1);
update domain_contacts set domain_id = 10000000 + id where has_dirt(id, 2);
update domain_contacts set type = pick(id, array[null, '', 'BillingDomainContact']) where has_dirt(id, 3);

insert into reserved_domains (id, name, password, expire_at, created_at)
select
  n, pick(n, '{kinni,õnn}') || n || '.ee', md5(n || 'reserved'),
  pick(n, array[null, '2036-05-04 00:00', '2036-05-04 00:00:00.000001', '2036-05-04 21:30'])::timestamp, time_of(n,
    'reserved')
from generate_series(1, :names) n;

update reserved_domains set name = upper(name) where has_dirt(id, 1);
update reserved_domains set name = 'ei ole nimi ' || id where has_dirt(id, 2);
update reserved_domains set name = 'xn--mda.kinni' || id || '.ee' where has_dirt(id, 3);
update reserved_domains set password = pick(id, array['', ' ', 'sala, "sõna"']) where has_dirt(id, 4);
update reserved_domains set expire_at = '2012-01-01' where has_dirt(id, 5);
update reserved_domains set created_at = null where has_dirt(id, 6);

insert into blocked_domains (id, name, created_at)
select n, pick(n, '{keelatud,kinni,õel}') || n || '.ee', time_of(n, 'blocked') from generate_series(1, :names) n;

update blocked_domains set name = pick(id, array['ei ole nimi ', '_.']) || id where has_dirt(id, 1);
update blocked_domains set name = (select upper(name) from blocked_domains other
where other.id = blocked_domains.id - 1)
where has_dirt(id, 2);

insert into disputes (id, domain_name, password, starts_at, expires_at, comment, created_at, updated_at, closed,
  initiator)
select
  n, pick(n, '{vaidlus,kinni,keelatud}') || n % 1000 || '.ee', md5(n || 'dispute'), starts_at,
    starts_at + interval '3 years',
  pick(n, array[null, '', E'Kaebus 1-2/3,\n"lisa"']), starts_at, starts_at,
  case when n % 4 = 0 then starts_at + interval '20 days 1.234567 seconds' end,
  case when n % 4 = 0 then pick(n, '{Registrant,Unknown}') end
from (select n, time_of(n, 'dispute')::date + 2500 as starts_at from generate_series(1, :names) n) rows;

update disputes set expires_at = starts_at - 1 where has_dirt(id, 1);
update disputes set domain_name = pick(id, array['ei ole nimi', upper(domain_name)]) where has_dirt(id, 2);
update disputes set password = '' where has_dirt(id, 3);

insert into auctions (id, domain, uuid, status, registration_code, registration_deadline, platform, created_at)
select
  n, pick(n, '{oksjon,õis}') || n || '.ee', uuid_of(n, 'auction'), status,
  case when status in ('payment_received', 'domain_registered') then md5(n || 'auction') end,
  case when status in ('awaiting_payment', 'payment_received') then time_of(n, 'deadline') end,
  pick(n, array[null, '0', '1'])::int, time_of(n, 'auction')
from (
  select n, pick(n, array['started', 'awaiting_payment', 'no_bids', 'payment_received', 'payment_not_received',
    'domain_registered', 'domain_not_registered']) as status
  from generate_series(1, :names) n
) rows;

update auctions set registration_code = null where has_dirt(id, 1);
update auctions set registration_code = pick(id, array['', 'KOOD ', 'Õ']) || id where has_dirt(id, 2);
update auctions set status = 'started', domain = (select domain from auctions other where other.id = auctions.id - 1)
where has_dirt(id, 3);
update auctions set domain = pick(id, array['ei ole nimi', upper(domain)]) where has_dirt(id, 4);
update auctions set platform = 7 where has_dirt(id, 5);
