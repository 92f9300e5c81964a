import { expect, test } from 'vitest';
import { row, smallRegistry, uuidOf } from './files.ts';
import { startMoves } from './moves.ts';

const moves = startMoves();
const { moveIn, reconcile } = moves;

const taken = 'another row here has a value that only one may have';

/** A contact of ALPHA that was made here. */
function addContact(id: number, number: number): void {
  moves.registry.edit(`insert into contacts (id, uuid, registrar_id, number, code, name, name_key, email, email_key, phone,
      ident, ident_key, ident_type, ident_country_code, auth_info, created_at, updated_at)
    select ${id}, '${uuidOf(id)}', registrar_id, ${number}, 'ALPHA:SIIN${id}', name, name_key, email, email_key, phone, ident, ident_key,
      ident_type, ident_country_code, auth_info, created_at, updated_at from contacts where id = 11`);
}

test('leaves a contact with another code for the id of one that is here, and each domain that needs it', async () => {
  await moveIn(smallRegistry());
  const files = smallRegistry();
  files.contacts![0]!.code = 'ALPHA:UUS';
  files['domain-contacts']![0]!.contact = 'ALPHA:UUS';
  files['domain-contacts']!.push(row.link('õun.ee', 'BETA:15', 'admin'));
  files['domain-contacts']!.push(row.link('pirn.ee', 'ALPHA:UUS', 'registrant'));
  files.domains!.push(row.domain('uus.ee', 'ALPHA'));
  files['domain-contacts']!.push(row.link('uus.ee', 'ALPHA:UUS', 'tech'));
  const { lines, changed } = await moveIn(files);
  expect(changed).toBe(false);
  expect(lines.map((line) => line.replace(/ "\{.*\}"/, ''))).toEqual([
    `contacts.csv:2 ALPHA:UUS  conflict: ${taken}`,
    'contacts.csv: ALPHA:11  "domain õun.ee" conflict: another row still refers to it',
    'domain-contacts.csv:7 pirn.ee contact "ALPHA:UUS" refused: an earlier line has another registrant',
    'domain-contacts.csv:8 uus.ee domain "uus.ee" refused: its row in domains.csv is not moved in',
    'domains.csv:2 õun.ee  conflict: it needs a row of contacts.csv that is a conflict',
    'domains.csv:4 uus.ee  conflict: it needs a row of contacts.csv that is a conflict',
  ]);
  const { status, differences } = await reconcile();
  expect(status).toBe(0);
  expect(differences).toContainEqual({
    ...{ file: 'domains.csv', key: 'õun.ee', columns: ['registrant', 'admin'], reported: true },
    difference: 'it needs a row of contacts.csv that is a conflict',
  });
});

test('leaves a contact that is to get an id whose place in the list another one has', async () => {
  await moveIn(smallRegistry());
  addContact(91, 31);
  const files = smallRegistry();
  files.contacts![0] = row.contact(31, 'ALPHA', { code: 'ALPHA:11' });
  const { lines } = await moveIn({ contacts: files.contacts! });
  expect(lines.map((line) => line.replace(/"\{.*\}"/, ''))).toEqual([
    'contacts.csv:2 ALPHA:11   conflict: it was changed here, or what it needs is taken or gone',
    'contacts.csv: ALPHA:SIIN91  "" conflict: was made here',
  ]);
  expect(await reconcile()).toMatchObject({ status: 0, unreported: 0 });
});

test('leaves a domain whose new contact could not be written, and says so', async () => {
  await moveIn(smallRegistry());
  addContact(92, 31);
  const files = smallRegistry();
  files.contacts!.push(row.contact(31, 'ALPHA'));
  files.domains!.push(row.domain('ploom.ee', 'ALPHA'));
  files['domain-contacts']!.push(row.link('ploom.ee', 'ALPHA:31', 'registrant'));
  const { lines } = await moveIn(files);
  const why = 'conflict: it was changed here, or what it needs is taken or gone';
  expect(lines.map((line) => line.replace(/"\{.*\}"/, ''))).toEqual([
    `contacts.csv:5 ALPHA:31   ${why}`,
    'contacts.csv: ALPHA:SIIN92  "" conflict: was made here',
    `domains.csv:4 ploom.ee   ${why}`,
  ]);
  expect((await moves.registry.rows()).domains).toHaveLength(2);
  expect(await reconcile()).toMatchObject({ status: 0, unreported: 0 });
});

test('says in a dry run already that an auction cannot start beside another one of its name', async () => {
  const files = (status: string) => ({ auctions: [row.auction(23, 'uus.ee', status)] });
  await moveIn(files('no_bids'));
  await moves.registry.done('auction start uus.ee');
  const would = await moveIn(files('started'), '--dry-run');
  expect(would.lines.map((line) => line.replace(/ "\{.*\}"/, ''))).toContain(
    `auctions.csv:2 ${uuidOf(23)}  conflict: ${taken}`,
  );
  const { lines, kinds } = await moveIn(files('started'));
  expect({ lines, kinds }).toEqual({ lines: would.lines, kinds: would.kinds });
});

test('changes a contact although another has its id as its place in the list', async () => {
  await moveIn(smallRegistry());
  addContact(90, 91);
  addContact(91, 50);
  const contacts = [90, 91].map((id) => row.contact(id, 'ALPHA', { code: `ALPHA:SIIN${id}` }));
  const files = { contacts: [...smallRegistry().contacts!, ...contacts] };
  const { counts, lines } = await moveIn(files, '--theirs');
  expect(lines.map((line) => line.replace(/ "\{.*\}"/, ''))).toEqual([
    'contacts.csv:5 ALPHA:SIIN90  settled: was changed here',
    'contacts.csv:6 ALPHA:SIIN91  settled: was changed here',
  ]);
  expect(counts.contacts).toEqual({ updated: 2, unchanged: 3 });
});

test('gives ids to registrars without one after all others have theirs', async () => {
  const { counts } = await moveIn({
    registrars: [row.registrar(1, 'ALPHA', { id: '' }), row.registrar(1, 'BETA')],
  });
  expect(counts).toEqual({ registrars: { added: 2 } });
  const { registrars } = await moves.registry.rows();
  expect(registrars).toMatchObject([
    { id: 1, code: 'BETA' },
    { id: 2, code: 'ALPHA' },
  ]);
});

test('counts the rows that others refer to together, and names in each line what refers to it', async () => {
  await moveIn(smallRegistry());
  await moves.begin();
  const { lines, causes } = await moveIn({ contacts: [] });
  const held = 'contacts.csv:';
  const why = 'conflict: another row still refers to it';
  expect(lines).toEqual([
    `${held} ALPHA:11  "domain õun.ee" ${why}`,
    `${held} ALPHA:12  "domain õun.ee" ${why}`,
    `${held} BETA:15  "domain pirn.ee" ${why}`,
  ]);
  expect(causes).toHaveLength(1);
  expect(await reconcile()).toMatchObject({ status: 0, unreported: 0 });
});

test('says in a dry run already that a row stays because another one refers to it', async () => {
  await moveIn(smallRegistry());
  const made = 'name,registrar,registrant\nsiin.ee,ALPHA,BETA:15\n';
  const file = await moves.registry.file('made.csv', made);
  await moves.registry.done(['domain', 'import', file]);
  const files = smallRegistry();
  for (const name of ['registrars', 'contacts', 'domains', 'allowed-ips']) files[name]!.pop();
  files['domain-contacts'] = files['domain-contacts']!.slice(0, 2);
  const would = await moveIn(files, '--dry-run');
  expect(would.lines).toEqual([
    'contacts.csv: BETA:15  "domain siin.ee" conflict: another row still refers to it',
    'domains.csv: siin.ee  "" conflict: was made here',
    'registrars.csv: BETA  "contact BETA:15" conflict: another row still refers to it',
  ]);
  const { lines, kinds } = await moveIn(files);
  expect({ lines, kinds }).toEqual({ lines: would.lines, kinds: would.kinds });
  expect(kinds).toContainEqual(expect.objectContaining({ kind: 'domains', removed: 1 }));
  expect(await reconcile()).toMatchObject({ status: 0, unreported: 0 });
});

test('takes a name that the scheduled run has ended here, and that lasts longer there', async () => {
  const today = new Date().toISOString().slice(0, 10);
  await moveIn({ reserved: [row.reserved('kinni.ee', { last_day: today })] });
  await moves.endReservations();
  const { counts, lines } = await moveIn({
    reserved: [row.reserved('kinni.ee', { last_day: '2999-01-01' })],
  });
  expect(lines).toEqual([]);
  expect(counts.reserved).toEqual({ added: 1 });
});

const check = JSON.stringify({
  id: 'v1',
  method: 'email',
  verified_at: '2026-01-02T03:04:05.678Z',
});

async function emailVerification(): Promise<{ id: string; result: string }> {
  const { contacts } = (await moves.registry.rows()) as { contacts: Record<string, string>[] };
  return JSON.parse(contacts.find(({ code }) => code === 'ALPHA:11')!.email_verification!);
}

test('a verification ends when its value changes, although the file repeats it', async () => {
  const files = smallRegistry();
  files.contacts![0]!.email_verification = check;
  await moveIn(files);
  expect(await emailVerification()).toMatchObject({ id: 'v1', result: 'success' });
  Object.assign(files.contacts![0]!, { email: 'jaan@example.ee', fax: '+372.6123456' });
  expect((await moveIn(files)).counts.contacts).toMatchObject({ updated: 1 });
  expect(await emailVerification()).toMatchObject({ id: 'v1', result: 'ended' });
  expect(await reconcile()).toMatchObject({ status: 0, equal: true });
  files.contacts![0]!.email = 'mari11@example.ee';
  expect((await moveIn(files)).changed).toBe(true);
  expect(await emailVerification()).toMatchObject({ result: 'ended' });
  expect((await moveIn(files)).changed).toBe(false);
  expect(await reconcile()).toMatchObject({ status: 0, equal: true });
});

test('what was demanded ends once it is verified there', async () => {
  await moveIn(smallRegistry());
  await moves.registry.done('contact demand ALPHA:11 --claims email --by 2099-01-01');
  const files = smallRegistry();
  files.contacts![0]!.email_verification = check;
  await moveIn(files, '--theirs');
  const { contact } = await moves.registry.done('contact show ALPHA:11');
  expect(contact.verification_demand).toBeNull();
});

test('what was demanded and is verified in the same file is not demanded here', async () => {
  const files = smallRegistry();
  const demand = JSON.stringify({ claims: ['email'], by: '2099-01-01' });
  Object.assign(files.contacts![0]!, { email_verification: check, verification_demand: demand });
  await moveIn(files);
  const { contact } = await moves.registry.done('contact show ALPHA:11');
  expect(contact.verification_demand).toBeNull();
  expect(await reconcile()).toMatchObject({ status: 0, equal: true });
});

test('another verification of a changed value is in force, and so is one whose value stays', async () => {
  const files = smallRegistry();
  files.contacts![0]!.email_verification = check;
  await moveIn(files);
  Object.assign(files.contacts![0]!, { phone: '+372.6123456' });
  await moveIn(files);
  expect(await emailVerification()).toMatchObject({ id: 'v1', result: 'success' });
  const again = check.replace('v1', 'v2');
  Object.assign(files.contacts![0]!, { email: 'jaan@example.ee', email_verification: again });
  await moveIn(files);
  expect(await emailVerification()).toMatchObject({ id: 'v2', result: 'success' });
  expect(await reconcile()).toMatchObject({ status: 0, equal: true });
});
