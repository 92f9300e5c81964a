-- A day in the old registry after its first export: additions, changes and removals in every table. A row of the
-- large tables that changes has an id that ends in 7, so it is not one of the dirty ones.

update registrars set name = 'Alpha AS (uus)', updated_at = '2026-11-20 10:00' where code = 'ALPHA';
insert into registrars (
  id, code, name, reg_no, email, address_country_code, address_city, address_street, accounting_customer_code,
  reference_no, language, created_at, updated_at
)
values (8, 'UUS', 'Uus', 8, 'x', 'EE', 'Tallinn', 'x', 8, 8, 'et', '2026-11-20 10:00', '2026-11-20 10:00');

update users set plain_text_password = 'uus parool', updated_at = '2026-11-20 10:00' where id = 1;
update users set active = false, updated_at = '2026-11-20 10:00' where username = 'alpha epp';
insert into users (id, registrar_id, username, plain_text_password, type, roles, active, verified_at)
values (20, 8, 'uus', 'uus12345', 'ApiUser', '{super}', true, '2026-11-20');

update certificates set revoked = true, revoked_at = '2026-11-20 10:00' where id = 6;
insert into certificates (id, api_user_id, crt, common_name, interface, expires_at, created_at)
values (20, 20, pem('uus'), 'uus', 'api', '2040-01-01', '2026-11-20 10:00');

delete from white_ips where id = 2;
insert into white_ips (id, registrar_id, ipv4, interfaces) values (20, 8, '127.0.0.1', '{api}');

create function changes(id bigint, hundred int) returns boolean language sql as
  $$ select id % 10 = 7 and id / 10 % 100 = hundred $$;

update contacts set email = 'uus' || id || '@example.ee', phone = 'puudub', updated_at = '2026-11-20 10:00'
where changes(id, 1);
update contacts set ident = '47101010033', updated_at = '2026-11-20 10:00' where changes(id, 4);
update contacts set ident = '47101010033', verified_at = '2026-11-20 09:00', verification_id = 'uus ' || id,
  updated_at = '2026-11-20 10:00'
where changes(id, 5);
update contacts set registrar_id = 2, auth_info = 'uus', updated_at = '2026-11-20 10:00' where changes(id, 2);
update domains set registrant_id = (select min(id) from contacts) where registrant_id in (
  select id from contacts where changes(id, 3)
);
delete from domain_contacts where contact_id in (select id from contacts where changes(id, 3));
delete from contacts where changes(id, 3);
insert into contacts (id, registrar_id, code, name, email, auth_info, created_at, updated_at)
select max + n, 8, 'UUS:' || n, 'Uus ' || n, '', 'x', '2026-11-20 10:00', '2026-11-20 10:00'
from (select max(id) from contacts) contacts, generate_series(1, 20) n;

update domains set registrar_id = 8 where changes(id, 1);
delete from domain_contacts where domain_id in (select id from domains where changes(id, 2));
delete from domains where changes(id, 2);
insert into domains (
  id, registrar_id, registrant_id, name, name_dirty, name_puny, valid_to, transfer_code, created_at, updated_at
)
select
  max_domain + n, 8, max_contact - n + 1, 'uus' || n || '.ee', 'x', 'x', '2030-01-01', 'x',
  '2026-11-20 10:00', '2026-11-20 10:00'
from
  (select max(id) as max_domain from domains) domains,
  (select max(id) as max_contact from contacts) contacts,
  generate_series(1, 20) n;

update reserved_domains set expire_at = '2040-01-01', password = 'uus' where changes(id, 1);
delete from reserved_domains where changes(id, 2);
insert into reserved_domains (id, name, password)
select max + n, 'uusreserv' || n || '.ee', 'x'
from (select max(id) from reserved_domains) reserved, generate_series(1, 5) n;
delete from blocked_domains where changes(id, 1);
insert into blocked_domains (id, name)
select max + n, 'uuskinni' || n || '.ee'
from (select max(id) from blocked_domains) blocked, generate_series(1, 5) n;

update disputes set closed = '2026-11-20 10:00', initiator = 'Registrant' where changes(id, 1);
delete from disputes where changes(id, 2);
insert into disputes (id, domain_name, password, starts_at, expires_at, created_at, updated_at)
select max + 1, 'uusvaidlus.ee', 'x', '2026-11-20', '2029-11-20', '2026-11-20', '2026-11-20'
from (select max(id) from disputes) disputes;

update auctions set status = 'payment_received', registration_code = md5(id || 'uus') where changes(id, 1);
insert into auctions (id, domain, status, created_at)
select max + 1, 'uusoksjon.ee', 'started', '2026-11-20 10:00' from (select max(id) from auctions) auctions;
