import { beforeAll, expect, test } from 'vitest';
import { startTool } from './tool.ts';

const tool = startTool();
const registry = tool.sharedRegistry('ALPHA');

const contacts = `ALPHA:1,Jaan Tamm,jaan@example.ee,+372.5123456,38001085718,priv,EE
ALPHA:2,Tamm OÜ,info@example.ee,+372.5123457,12345678,org,EE
ALPHA:3,Mari Maasikas,mari@example.ee,+372.5123458,49002010976,priv,EE
`;

const domainsHeader = 'name,registrar,registrant,admin,tech\n';

beforeAll(() => registry.importContacts(contacts));

async function refused(args: string[], input = ''): Promise<string> {
  const { status, stderr } = await registry.run(args, input);
  expect(status).toBe(1);
  return stderr;
}

async function lastEvent(subject: string, key: string) {
  const { history } = await registry.done(['history', subject, key]);
  return history[0];
}

test('finds contacts by registrar, identity code, address and name', async () => {
  const codesBy = async (...args: string[]) => {
    const { contacts } = await registry.done(['contact', 'list', ...args]);
    return contacts.map(({ code }: { code: string }) => code);
  };
  expect(await codesBy('--registrar', 'ALPHA')).toEqual(['ALPHA:1', 'ALPHA:2', 'ALPHA:3']);
  expect(await codesBy('--ident', '380 0108-5718')).toEqual(['ALPHA:1']);
  expect(await codesBy('--email', 'INFO@example.ee')).toEqual(['ALPHA:2']);
  expect(await codesBy('--name', 'TAMM')).toEqual(['ALPHA:1', 'ALPHA:2']);
  expect(await codesBy('--name', 'Tamm', '--ident', '12345678')).toEqual(['ALPHA:2']);
  for (const list of ['contact list', 'contact list --invalid', 'api-user list', 'domain list']) {
    const refusal = await registry.run(`${list} --registrar NOPE`);
    expect(refusal).toMatchObject({ status: 1, stderr: expect.stringContaining('NOPE') });
  }
  // The history may have one that is gone.
  await registry.done('contact list --deleted --ident 38001085718 --registrar NOPE');
});

test('changes the fields of a contact by the rules of the interfaces', async () => {
  const update = ['contact', 'update', 'alpha:1'];
  const wrong = await refused([...update, '--phone', '5', '--email', 'x']);
  expect(wrong).toBe(
    'refused: Email is invalid: has no @ [email]\n' +
      'refused: Phone nr is invalid [phone]. Expected: `+`, the country’s code, a dot, the number (RFC 5733), neither of zeros only: +372.55501020.\n',
  );
  await registry.done([...update, '--city', 'Tartu', '--dry-run']);
  await registry.done([...update, '--phone', '+372.555', '--org-name', 'Tamm OÜ']);
  expect(await registry.done([...update, '--org-name', ''])).toMatchObject({
    changes: { org_name: { from: 'Tamm OÜ', to: null } },
  });
  expect(await registry.done('contact show ALPHA:1')).toMatchObject({
    contact: { phone: '+372.555', org_name: null, city: null, domains: [] },
  });
  expect(await lastEvent('contact', 'ALPHA:1')).toMatchObject({ actor_type: 'operator' });
});

test('adds and removes statuses with their notes, and obeys them', async () => {
  const status = ['contact', 'status', 'ALPHA:3'];
  const prohibited = ['serverUpdateProhibited', 'serverDeleteProhibited'];
  await registry.done([...status, '--add', ...prohibited, '--note', 'court order']);
  expect(await registry.done('contact show ALPHA:3')).toMatchObject({
    contact: {
      statuses: prohibited.toSorted(),
      status_notes: Object.fromEntries(prohibited.map((name) => [name, 'court order'])),
    },
  });
  expect(await refused(['contact', 'update', 'ALPHA:3', '--city', 'Tartu'])).toBe(
    'refused: Object status prohibits operation. The contact has the status serverUpdateProhibited.\n',
  );
  expect(await refused(['contact', 'delete', 'ALPHA:3'])).toBe(
    'refused: Contact delete prohibited by status [statuses]. The contact has the status serverDeleteProhibited.\n',
  );
  await registry.done([...status, '--remove', ...prohibited]);
  expect(await registry.done('contact show ALPHA:3')).toMatchObject({
    contact: { statuses: ['ok'], status_notes: {} },
  });
  expect(await registry.done([...status, '--remove', ...prohibited])).toMatchObject({
    changed: false,
  });
});

test('removes a domain, after which its contacts can be deleted', async () => {
  const row = 'oun.ee,ALPHA,ALPHA:2,ALPHA:1,ALPHA:2\n';
  await registry.done('domain import -', domainsHeader + row);
  expect(await registry.done('domain show oun.ee')).toMatchObject({
    domain: { registrant: 'ALPHA:2', admin: ['ALPHA:1'], tech: ['ALPHA:2'] },
  });
  expect(await refused(['contact', 'delete', 'ALPHA:2'])).toContain('[domains]');
  const remove = ['domain', 'remove', 'oun.ee', 'none.ee'];
  expect(await registry.done([...remove, '--dry-run'])).toMatchObject({ removed: 1 });
  expect(await registry.done(remove)).toEqual({
    ...{ removed: 1, unchanged: 1, changed: true, request_id: expect.any(String) },
  });
  expect(await lastEvent('domain', 'oun.ee')).toMatchObject({
    action: 'delete',
    changes: { registrant: { from: 'ALPHA:2', to: null }, admin: { from: ['ALPHA:1'], to: [] } },
  });
  await registry.done('contact delete ALPHA:2 --yes');
  expect(await refused(['contact', 'show', 'ALPHA:2'])).toContain('there is no contact "ALPHA:2"');
  expect(await refused(['domain', 'show', 'oun.ee'])).toContain('there is no domain "oun.ee"');
});

test('asks before it removes many rows, naming the number', async () => {
  const rows = ['a.ee', 'b.ee', 'c.ee'].map((name) => `${name},ALPHA,ALPHA:1,,\n`).join('');
  await registry.done('domain import -', domainsHeader + rows);
  const replace = ['domain', 'import', '-', '--replace'];
  const one = `${domainsHeader}a.ee,ALPHA,ALPHA:1,,\n`;
  const question = 'refused: This removes 2 of 3 domains.';
  expect(await refused(replace, one)).toBe(
    `${question} There is no terminal to ask on; confirm with --yes or --max-removals\n`,
  );
  expect(await refused([...replace, '--max-removals', '1'], one)).toBe(
    `${question} --max-removals allows 1\n`,
  );
  expect(await refused(['domain', 'remove', 'a.ee', 'b.ee'])).toContain(question);
  expect(await registry.done([...replace, '--dry-run'], one)).toMatchObject({ removed: 2 });
  expect(await registry.done([...replace, '--max-removals', '2'], one)).toMatchObject({
    ...{ unchanged: 1, removed: 2, changed: true },
  });

  await registry.done('retained add a.ee b.ee c.ee --status reserved');
  const remove = ['retained', 'remove', 'a.ee', 'b.ee', '--status', 'reserved'];
  expect(await refused(remove)).toContain('This removes 2 of 3 reserved names.');
  const empty = ['retained', 'import', '-', '--status', 'reserved', '--replace'];
  expect(await refused(empty, 'name\na.ee\n')).toContain('This removes 2 of 3 reserved names.');
  expect(await registry.done([...remove, '--yes'])).toMatchObject({ removed: 2 });
});

test('writes disputes to a file with everything that an import takes', async () => {
  const file =
    'name,first_day,last_day,password,comment,initiator,closed_at\n' +
    'q.ee,2026-01-01,,salasõna,"kohtuasi, 2-26-1",Mari Maasikas,\n' +
    'r.ee,2026-01-01,2026-01-31,,,,2026-01-02T03:04:05.678Z\n';
  const own = await tool.newRegistry();
  expect(await own.done('dispute import -', file)).toMatchObject({ opened: 2 });
  expect((await own.run('dispute export')).stdout).toBe(file);
  const { stdout } = await own.run('dispute list');
  expect(stdout).toMatch(/^q.ee +2026-01-01 +until closed +in force +Mari Maasikas$/m);
  expect(stdout).toMatch(/^r.ee +2026-01-01 +2026-01-31 +closed +-$/m);
  expect(stdout).not.toContain('salasõna');
  expect(await own.done('dispute show q.ee')).toMatchObject({
    disputes: [{ password: 'salasõna', comment: 'kohtuasi, 2-26-1', last_day: null }],
  });
});

test('opens the disputes in a file, once however often it is imported', async () => {
  const file = 'name,first_day,last_day\nx.ee,2026-01-01,2026-01-31\ny.ee,2026-01-01,2026-01-31\n';
  const args = ['dispute', 'import', '-'];
  expect(await registry.done(args, file)).toMatchObject({ opened: 2 });
  expect(await registry.done(args, file)).toMatchObject({ opened: 0, unchanged: 2 });
  const wrong = `${file}x.ee,2026-01-31,2026-02-01\nz.ee,2026-02-30,2026-03-01\n`;
  expect(await refused(args, wrong)).toBe(
    'refused: standard input:4: "x.ee" is already disputed from 2026-01-01 to 2026-01-31 [name]\n' +
      'refused: standard input:5: "2026-02-30" is not a day in the calendar; write it like 2026-01-31 [first_day]\n' +
      'nothing was written; 2 other rows are valid: with --skip-invalid, the command writes what is valid\n',
  );
  const overlapping =
    'name,first_day,last_day\nv.ee,2026-01-01,2026-01-31\nv.ee,2026-01-15,2026-02-01\n';
  expect(await refused(args, overlapping)).toContain(
    'standard input:3: "v.ee" is already disputed',
  );
});

const update = ['contact', 'update', 'ALPHA:1'];
const codesOf = async (ident: string) => {
  const { contacts } = await registry.done(['contact', 'list', '--ident', ident]);
  return contacts.map(({ code }: { code: string }) => code);
};

test('corrects an identity once it is confirmed, tells the registrar, and takes it back', async () => {
  const corrected = ['--ident', '47101010033', '--city', 'Tartu'];
  const before = await registry.rows();
  expect(await registry.run([...update, ...corrected])).toMatchObject({
    status: 1,
    stderr:
      'refused: This changes whose contact it is: ident: "38001085718" to "47101010033"; city: null to "Tartu".' +
      ' There is no terminal to ask on; confirm with --yes\n',
  });
  expect(await registry.rows()).toEqual(before);

  const changes = {
    ident: { from: '38001085718', to: '47101010033' },
    ident_country_code: { from: 'EE', to: 'LV' },
  };
  const args = ['--ident', '47101010033', '--ident-country-code', 'lv', '--yes'];
  expect(await registry.done([...update, ...args])).toEqual({
    ...{ code: 'ALPHA:1', changed: true, changes, request_id: expect.any(String) },
  });
  expect([await codesOf('38001085718'), await codesOf('47101010033')]).toEqual([[], ['ALPHA:1']]);
  const { history } = await registry.done('history contact ALPHA:1');
  expect(history[0]).toMatchObject({ actor_type: 'operator', changes });
  const { notifications } = await registry.rows();
  expect(notifications!.at(-1)).toMatchObject({ fields: '["ident","ident_country_code"]' });

  await registry.done(['history', 'revert', history[0].request_id, '--yes']);
  expect([await codesOf('38001085718'), await codesOf('47101010033')]).toEqual([['ALPHA:1'], []]);
});

test('says which disputed domains another identity gives away, and goes on', async () => {
  const person = 'ALPHA:D,Jaan Tamm,jaan@example.ee,+372.5123456,38001085718,priv,EE\n';
  await registry.importContacts(person);
  await registry.done('domain import -', `${domainsHeader}vaidlus.ee,ALPHA,ALPHA:D,,\n`);
  await registry.done('dispute open vaidlus.ee --first-day 2020-01-01');
  const note = 'note: a dispute is in force over "vaidlus.ee", which the contact holds';
  const change = ['contact', 'update', 'ALPHA:D', '--ident'];
  expect((await registry.run([...change, '47101010033'])).stderr).toContain(note);
  expect((await registry.run([...change, '380-01085718', '--yes'])).stdout).not.toContain(note);
  expect((await registry.run([...change, '47101010033', '--yes'])).stdout).toContain(note);
  const { request_id } = await lastEvent('contact', 'ALPHA:D');
  expect((await registry.run(['history', 'revert', request_id, '--yes'])).stdout).toContain(
    'note: the identity of a holder changes, and a dispute is in force over "vaidlus.ee"',
  );
  await registry.done('dispute close vaidlus.ee --reason over');
  await registry.done('domain remove vaidlus.ee --yes');
  await registry.done('contact delete ALPHA:D --yes');
});

test.each([
  ['--ident=38001085719', 'Ident code does not conform to national identification number format'],
  ['--ident-type=passport', 'Ident type is invalid [ident_type]'],
  ['--ident-country-code=XX', 'Ident country code is invalid [ident_country_code]'],
])('refuses the identity %s, as a creation does', async (option, reason) => {
  const before = await registry.rows();
  const { status, stderr } = await registry.run([...update, option, '--yes']);
  expect(stderr).toContain(`refused: ${reason}`);
  expect(status).toBe(1);
  expect(await registry.rows()).toEqual(before);
});

test('asks nothing where the identity is the one on record', async () => {
  expect(await registry.done([...update, '--ident-type', 'priv'])).toMatchObject({
    changed: false,
  });
});

test('refuses to correct a part of an identity whose other parts are invalid', async () => {
  registry.edit(
    "update contacts set ident_type = 'passport', ident_country_code = '' where code = 'ALPHA:1'",
  );
  const { stderr } = await registry.run([...update, '--ident', '47101010033', '--yes']);
  expect(stderr).toBe(
    'refused: Ident type is invalid [ident_type]. Expected: one of priv, org, birthday.\n' +
      'refused: Ident country code is invalid [ident_country_code]\n',
  );
  const whole = ['--ident', '12345678', '--ident-type', 'org', '--ident-country-code', 'EE'];
  expect(await registry.done([...update, ...whole, '--yes'])).toMatchObject({ changed: true });
});
