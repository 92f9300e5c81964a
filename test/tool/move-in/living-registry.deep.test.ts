import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer } from '../../dev/server.ts';
import { startTool } from '../tool.ts';
import { startInternetee } from './internetee.ts';
import { whyNoPostgres } from './postgres.ts';

const tool = startTool();
const registry = tool.sharedRegistry();
const old = startInternetee(Number(process.env.OLD_CONTACTS ?? 5_000));
const orphans = ['--fallback-registrar', 'ALPHA'];
let files: string;
let server: Awaited<ReturnType<typeof startServer>>;
/** The numbers of rows in the old tables at first. */
let tables: Row;
let first: Answer;
/** Every row of the registry after the evening. */
let held: Record<string, Row[]>;

type Row = Record<string, unknown>;
interface Answer {
  kinds: { kind: string; added: number; refused: number }[];
}

/** An old registry is rehearsed, is in use for another day, and moves in; then the doors open. */
beforeAll(async () => {
  if (whyNoPostgres()) return;
  const moveIn = (file: string) =>
    registry.done(['move-in', files, '--to', file, '--skip-invalid', ...orphans]);
  files = await tool.newDirectory();
  await old.exportTo(files);
  [tables] = (await old.query(`select
    (select count(*) from registrars) as registrars,
    (select count(*) from users where type = 'ApiUser') as "api-users",
    (select count(*) from certificates where interface = 'api' and not revoked and crt is not null
      and (expires_at is null or expires_at > now())) as certificates,
    (select count(*) from contacts) as contacts,
    (select count(*) from domains) as domains,
    (select count(*) from domains) + (select count(*) from domain_contacts) as "domain-contacts",
    (select count(*) from reserved_domains) as reserved,
    (select count(*) from blocked_domains) as blocked,
    (select count(*) from disputes) as disputes,
    (select count(*) from auctions) as auctions`)) as [Row];
  first = await moveIn(`${files}/rehearsal.sqlite`);
  await old.change();
  await old.exportTo(files);
  await moveIn(`${files}/registry.sqlite`);
  await registry.done(['restore', `${files}/registry.sqlite`, '--yes']);
  held = (await registry.rows()) as Record<string, Row[]>;
  server = await startServer('--no-demo', '--ip', '127.0.0.1', '--persist-to', registry.directory);
}, 900_000);
afterAll(() => server?.stop());

/** The old rows whose name is one, the first of each name in its Unicode form, which is `unicode`. */
const named = (table: string) => `(
  select distinct on (unicode) *
  from (
    select *, replace(lower(name), 'xn--mda.', 'õ.') as unicode from ${table} where name ~* '\\.ee$'
  ) named
  order by unicode, id
)`;

/**
 * The old contacts that have a code, the first of each in upper case, with the registrar that has them now. The second
 * of two registrars GAMMA is not there, and what it had is with ALPHA.
 */
const coded = `(
  select distinct on (upper(c.code)) c.*, coalesce(nullif(r.code, 'Gamma'), 'ALPHA') as registrar
  from contacts c left join registrars r on r.id = c.registrar_id
  where c.code !~ '^ *$'
  order by upper(c.code), c.id
)`;

/** Each row as text, in which null is the empty one. */
const textsOf = (rows: Row[]) =>
  rows.map((row) =>
    JSON.stringify(
      Object.entries(row)
        .map(([name, value]) => `${name}: ${value ?? ''}`)
        .sort(),
    ),
  );

function byId(table: string, column: string) {
  const values = new Map(held[table]!.map((row) => [row.id, row[column]]));
  return (id: unknown) => values.get(id);
}

const picked = (table: string, columns: string[]) =>
  held[table]!.map((row) => Object.fromEntries(columns.map((column) => [column, row[column]])));

test('every row is added or refused', () => {
  const accounted = first.kinds
    .filter(({ kind }) => kind in tables)
    .map(({ kind, added, refused }) => [kind, String(added + refused)]);
  expect(Object.fromEntries(accounted)).toEqual(tables);
});

test('every difference that reconcile finds is in the report', async () => {
  const proof = ['reconcile', files, `${files}/registry.sqlite`, ...orphans];
  const answer = await registry.done(proof);
  expect(answer).toMatchObject({ equal: false, unreported: 0 });
});

const contactColumns = [
  ...['id', 'uuid', 'code', 'name', 'ident', 'ident_type', 'ident_country_code', 'email', 'phone'],
  ...['fax', 'street', 'zip', 'city', 'state', 'country_code', 'org_name', 'legacy_id'],
  ...['statuses', 'disclosed_attributes'],
];
const milliseconds = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;

test.each<[promise: string, old: string, here: (expected: Row[]) => Row[]]>([
  [
    'certificate of an API user is bound',
    `select username, common_name, to_char(c.expires_at, ${milliseconds}) as expires_at
    from certificates c join users u on u.id = api_user_id
    where c.id in (1, 7, 8, 20)`,
    () => {
      const user = byId('api_users', 'username');
      return held.certificates!.map(({ api_user_id, common_name, expires_at }) => ({
        ...{ username: user(api_user_id), common_name, expires_at },
      }));
    },
  ],
  [
    'contact has every text as it was, but for capital letters and derived statuses',
    `select
      registrar, ${contactColumns.filter((name) => !/^code|country_code$|^statuses|^disclosed/.test(name))},
      country_code, upper(code) as code,
      case when ident_country_code ~ '^ *[a-zA-Z]{2} *$' then upper(trim(ident_country_code))
        else ident_country_code end as ident_country_code,
      coalesce(array_to_json(array_remove(array_remove(array_remove(statuses, null), 'ok'), 'linked'))::text, '[]')
        as statuses,
      array_to_json(disclosed_attributes)::text as disclosed_attributes
    from ${coded} c`,
    () => {
      const registrar = byId('registrars', 'code');
      const rows = picked('contacts', [...contactColumns, 'registrar_id']);
      return rows.map(({ registrar_id: id, ...row }) => ({ ...row, registrar: registrar(id) }));
    },
  ],
  [
    'contact whose person was identified there is verified here',
    `select upper(code) as code, coalesce(nullif(verification_id, ''), uuid || ' ' || to_char(verified_at,
        'YYYY-MM-DD"T"HH24:MI:SS')) as id,
      to_char(verified_at, ${milliseconds}) as verified_at,
      'success' as result, 'eid' as method, 'former registry' as verified_by
    from ${coded} c where verified_at < '2027-01-01' and verified_at > '-infinity'`,
    () =>
      held.contacts!.flatMap(({ code, identity_verification: json }) => {
        if (json === null) return [];
        const { framework: _, reference: __, ...verification } = JSON.parse(String(json));
        return [{ code, ...verification }];
      }),
  ],
  [
    'contact keeps its time of creation and its auth_info',
    `select id, to_char(created_at, ${milliseconds}) as created_at, auth_info
    from ${coded} c where created_at is not null and auth_info <> ''`,
    (expected) => {
      const ids = new Set(expected.map(({ id }) => id));
      const rows = picked('contacts', ['id', 'created_at', 'auth_info']);
      return rows.filter(({ id }) => ids.has(String(id)));
    },
  ],
  [
    'domain has the contacts that it had',
    `select d.unicode as domain, upper(c.code) as contact, link.role
    from ${named('domains')} d
    join (
      select id as domain_id, registrant_id as contact_id, 'registrant' as role from domains
      union select domain_id, contact_id, lower(replace(type, 'DomainContact', '')) from domain_contacts
    ) link on link.domain_id = d.id and link.role in ('registrant', 'admin', 'tech')
    join ${coded} c on c.id = link.contact_id`,
    () => {
      const [domain, contact] = [byId('domains', 'name'), byId('contacts', 'code')];
      return held.domain_contacts!.map(({ domain_id, contact_id, role }) => ({
        ...{ domain: domain(domain_id), contact: contact(contact_id), role },
      }));
    },
  ],
  [
    'domain, reserved and blocked name is there',
    `select unicode as name, 'domain' as status, '' as password from ${named('domains')} d
    union all select unicode, 'reserved', password from ${named('reserved_domains')} r
      where expire_at is null or expire_at > now()
    union all select unicode, 'blocked', '' from ${named('blocked_domains')} b`,
    () => [
      ...held.domains!.map(({ name }) => ({ name, status: 'domain', password: '' })),
      ...picked('retained_domains', ['name', 'status', 'password']),
    ],
  ],
  [
    'dispute is there',
    `select lower(domain_name) as name, starts_at as first_day, expires_at as last_day, password, initiator
    from disputes where domain_name like '%.%' and starts_at <= expires_at`,
    () => picked('disputes', ['name', 'first_day', 'last_day', 'password', 'initiator']),
  ],
  [
    'auction is there, but the second in progress of a name',
    `select uuid, lower(domain) as name, status
    from (
      select *, row_number() over (partition by lower(domain), status order by id) as nth from auctions
    ) numbered
    where domain like '%.%' and (status <> 'started' or nth = 1)`,
    () => picked('auctions', ['uuid', 'name', 'status']),
  ],
])('every %s', async (_, sql, here) => {
  const expected = await old.query(sql);
  const [found, wanted] = [textsOf(here(expected)), textsOf(expected)];
  const without = (some: string[], others: string[]) => {
    const known = new Set(others);
    return some.filter((text) => !known.has(text)).slice(0, 20);
  };
  expect({
    count: found.length,
    lost: without(wanted, found),
    made: without(found, wanted),
  }).toEqual({ count: wanted.length, lost: [], made: [] });
});

test('no certificate is required, and none was presented', () => {
  expect(held.api_users!.filter((one) => one.certificate_required)).toEqual([]);
  expect(held.certificates!.filter((one) => one.presented_at)).toEqual([]);
});

// biome-ignore lint/suspicious/noExplicitAny: the bodies of three interfaces
async function get(place: string, headers: Record<string, string> = {}): Promise<any> {
  const response = await fetch(server.address + place, { headers });
  return { status: response.status, body: await response.json() };
}

test.each([
  ['alpha', 'uus parool', '192.0.2.1', 200],
  ['beta', ' sala, "sõna": õ ', '127.0.0.1', 200],
  ['uus', 'uus12345', '127.0.0.1', 200],
  ['alpha', 'parool123', '192.0.2.1', 401],
  ['alpha', 'uus parool', '198.51.100.2', 401],
  ['alpha epp', 'parool123', '192.0.2.1', 401],
  ['beta-arved', 'arved123', '127.0.0.1', 401],
  ['GAMMA', 'gamma789', '0.0.0.0', 401],
])('a login of %s with %j from %s is answered with %i', async (...login) => {
  const [username, password, address, status] = login;
  const credentials = Buffer.from(`${username}:${password}`).toString('base64');
  const headers = { Authorization: `Basic ${credentials}`, 'CF-Connecting-IP': address };
  expect(await get('/repp/v1/contacts?limit=1', headers)).toMatchObject({ status });
});
