import path from 'node:path';
import { expect, test } from 'vitest';
import type { Env } from '../../src/base/env.ts';
import type { OpenBindings } from '../../src/tool/bindings.ts';
import { runProgram } from '../../src/tool/program.ts';
import { captured } from './captured.ts';
import { csvOf, openKept, startTool, type TestRegistry } from './tool.ts';

const tool = startTool();

const contact = {
  code: 'ALPHA:TAMM',
  uuid: '7c2f1a34-0e0b-4f43-9a54-0d2f6a7b8c91',
  name: 'Jaan Tamm',
  email: 'jaan@example.ee',
  phone: '+372.5123456',
  ident: '38001085718',
  ident_type: 'priv',
  ident_country_code: 'EE',
};
const lines = (text: string) => text.trimEnd().split('\n');
const backups =
  'Time Travel keeps the values for up to 30 days, nightly backups for up to a year, and files that were exported as long as you keep them';

test('contact erase shows what would go and what stays, and then does it', async () => {
  const registry = await tool.newRegistry('ALPHA');
  const other = { ...contact, code: 'ALPHA:TAMM-WORK', uuid: undefined };
  await registry.addRecords(contact, other);
  const before = await registry.rows();

  const dry = await registry.run('contact erase alpha:tamm --dry-run');
  expect(lines(dry.stdout)).toEqual([
    `would erase contact ALPHA:TAMM (${contact.uuid})`,
    '  contact: deleted, with name, ident, email, phone, creator_str',
    '  history: values of name, ident, email, phone removed from 1 entry; who changed which fields, and when, stays',
    '  not erased, with the same identity: ALPHA:TAMM-WORK',
    backups,
  ]);
  expect(await registry.rows()).toEqual(before);

  expect(await registry.done(['contact', 'erase', contact.uuid, '--yes'])).toEqual({
    contact: {
      code: 'ALPHA:TAMM',
      uuid: contact.uuid,
      fields: ['name', 'ident', 'email', 'phone', 'creator_str'],
    },
    history: { entries: 1, fields: ['name', 'ident', 'email', 'phone'], actors: [] },
    outcomes: 0,
    disclosures: 0,
    others: ['ALPHA:TAMM-WORK'],
    deleted_others: [],
    backups,
    changed: true,
    request_id: expect.any(String),
  });
  expect(await registry.run('contact erase ALPHA:TAMM')).toMatchObject({
    status: 0,
    stdout: `nothing is left to erase of contact ALPHA:TAMM\n${backups}\n`,
  });
  const { history } = await registry.done('history contact ALPHA:TAMM');
  expect(history.toReversed()).toMatchObject([
    { action: 'create', changes: { name: { removed: true }, ident_type: { to: 'priv' } } },
    { action: 'delete', changes: { name: { removed: true } } },
  ]);
  const text = await registry.run('history contact ALPHA:TAMM');
  expect(text.stdout).toContain('    name: changed (values removed)\n');
}, 120_000);

test('contact erase and contact list --deleted name the deleted contacts with an identity, until they are erased', async () => {
  const registry = await tool.newRegistry('ALPHA', 'BETA');
  const rows = ['ALPHA:OLD', 'ALPHA:TAMM', 'BETA:OLD'].map((code) => {
    return { ...contact, code, uuid: undefined, registrar: code.split(':')[0] };
  });
  await registry.done('contact import -', csvOf(...rows));
  const list = ['contact', 'list', '--ident', '380010-85718', '--deleted'];
  expect(await registry.done(list)).toEqual({ contacts: [] });
  for (const code of ['ALPHA:OLD', 'BETA:OLD']) {
    await registry.done(['contact', 'delete', code, '--yes']);
  }
  const { contacts } = await registry.done(list);
  expect(contacts).toEqual(
    ['ALPHA', 'BETA'].map((registrar) => ({
      code: `${registrar}:OLD`,
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      registrar,
      deleted_at: expect.stringMatching(/Z$/),
      ended: 'deleted',
    })),
  );
  expect(await registry.done([...list, '--registrar', 'BETA'])).toEqual({
    contacts: [contacts[1]],
  });
  const [{ uuid: alphas }, { uuid: betas }] = contacts;
  const dry = await registry.run(['contact', 'erase', 'ALPHA:TAMM', '--dry-run']);
  expect(lines(dry.stdout)).toContain(
    `  not erased, with the same identity: ${alphas} (ALPHA:OLD, deleted), ${betas} (BETA:OLD, deleted)`,
  );
  const erased = await registry.done(['contact', 'erase', alphas, '--yes']);
  expect(erased).toMatchObject({
    others: ['ALPHA:TAMM'],
    deleted_others: [{ code: 'BETA:OLD', uuid: betas }],
  });
  const left = await registry.run(list);
  expect(lines(left.stdout).map((line) => line.split(/ +/)[0])).toEqual(['CODE', 'BETA:OLD']);
});

test('a former person is found by the code before a correction, and erased alone', async () => {
  const registry = await tool.newRegistry('ALPHA');
  const row = {
    ...contact,
    code: 'ALPHA:TAMM',
    registrar: 'ALPHA',
    uuid: undefined,
    name: 'Vana Isik',
  };
  await registry.done('contact import -', csvOf(row));
  const correct = 'contact update ALPHA:TAMM --ident 47101010033 --name Mari --yes'.split(' ');
  await registry.done(correct);
  await registry.done(['contact', 'update', 'ALPHA:TAMM', '--city', 'Tartu']);
  const list = ['contact', 'list', '--ident', '380010-85718', '--deleted'];
  expect(await registry.done(list)).toMatchObject({
    contacts: [{ code: 'ALPHA:TAMM', ended: 'corrected' }],
  });
  const erase = ['contact', 'erase', 'ALPHA:TAMM', '--former', '380/0108.5718'];
  expect((await registry.run(erase)).stderr).toContain('This cannot be undone');
  expect(await registry.done([...erase, '--yes'])).toMatchObject({ entries: 2, changed: true });
  expect(await registry.done([...erase, '--yes'])).toMatchObject({ entries: 0, changed: false });
  expect(await registry.done(list)).toEqual({ contacts: [] });
  const rows = JSON.stringify((await registry.rows()).history);
  expect(rows).not.toContain('Vana Isik');
  expect(rows).not.toContain('38001085718');
  expect(rows).toContain('Tartu');
  expect(await registry.done('contact show ALPHA:TAMM')).toMatchObject({
    contact: { name: 'Mari', ident: '47101010033' },
  });
}, 120_000);

test('contact erase names the other contacts of a person known by a birthday', async () => {
  const registry = await tool.newRegistry('ALPHA', 'BETA');
  const born = { ident: '1980-01-08', ident_type: 'birthday', ident_country_code: 'EE' };
  const people = [
    ['ALPHA:1', 'Jaan Tamm'],
    ['ALPHA:2', 'Jaan Tamm'],
    ['ALPHA:3', 'Keegi Kolmas'],
    ['BETA:1', 'JAAN TAMM'],
    ['BETA:2', 'Keegi Teine'],
  ].map(([code, name]) => {
    const registrar = code!.split(':')[0];
    return { ...contact, ...born, uuid: undefined, registrar, code, name };
  });
  await registry.done('contact import -', csvOf(...people));
  for (const code of ['ALPHA:2', 'ALPHA:3']) await registry.done(`contact delete ${code} --yes`);
  const ofExisting = await registry.done(['contact', 'erase', 'ALPHA:1', '--yes']);
  expect(ofExisting).toMatchObject({ others: ['BETA:1'], deleted_others: [{ code: 'ALPHA:2' }] });
  const ofDeleted = await registry.done(['contact', 'erase', 'ALPHA:2', '--yes']);
  expect(ofDeleted).toMatchObject({ others: ['BETA:1'], deleted_others: [] });
}, 120_000);

const somebodyElse = {
  ...{ ...contact, name: 'Kuressaare Kala OÜ', email: 'info@example.ee', phone: '+372.444' },
  ...{ ident: '12345678', ident_type: 'org' },
};

/** A registry with these contacts of ALPHA, and a backup of it. */
async function backedUp(...codes: string[]) {
  const registry = await tool.newRegistry('ALPHA');
  const rows = codes.map((code) => {
    const values = code === 'ALPHA:LIVING' ? somebodyElse : contact;
    const creator_str = `77-RegistrantUser: ${values.name}`;
    return { ...values, code, uuid: undefined, creator_str };
  });
  await registry.addRecords(...rows);
  const file = path.join(await tool.newDirectory(), 'backup.sqlite');
  await registry.done(['backup', file]);
  return { registry, file };
}
const importContact = (registry: TestRegistry, values: object = {}) =>
  registry.addRecords({ ...contact, ...values });
const textOf = async (registry: TestRegistry) => JSON.stringify(await registry.rows());
const erase = (registry: TestRegistry, code: string) =>
  registry.done(['contact', 'erase', code, '--yes']);

/** Runs a command with other bindings than it would have. */
function runWith(
  { directory }: TestRegistry,
  args: string[],
  change: (env: Env) => Partial<Record<keyof Env, unknown>>,
) {
  const open: OpenBindings = async (options, access) => {
    const opened = await openKept(options, access);
    return { ...opened, env: { ...opened.env, ...change(opened.env) } as Env };
  };
  return captured(() => runProgram([...args, '--persist-to', directory], open));
}

test('restore erases again whom it has brought back', async () => {
  const { registry, file } = await backedUp('ALPHA:LIVING', 'ALPHA:ERASED', 'ALPHA:DELETED');
  await registry.done('contact delete ALPHA:DELETED --yes');
  const deleted = `${file}.deleted`;
  await registry.done(['backup', deleted]);
  await registry.addContacts('ALPHA:LATER');
  for (const code of ['ALPHA:ERASED', 'ALPHA:DELETED', 'ALPHA:LATER']) await erase(registry, code);
  for (const backup of [file, deleted]) {
    const answer = await registry.done(['restore', backup, '--yes']);
    const again = ['ALPHA:DELETED', 'ALPHA:ERASED'].map((code) =>
      expect.objectContaining({ code }),
    );
    expect(answer).toMatchObject({ erased_again: again, not_erased: [] });
    const { contacts } = await registry.rows();
    expect(contacts).toMatchObject([{ code: 'ALPHA:LIVING' }]);
    for (const value of ['Jaan Tamm', contact.ident, contact.email, contact.phone]) {
      expect(await textOf(registry)).not.toContain(value);
    }
  }
  expect(await registry.done('contact erase-again')).toEqual({ erased_again: [], changed: false });
});

test('a restore asks with what it would erase, and erases it then', async () => {
  const { registry, file } = await backedUp('ALPHA:ERASED');
  await erase(registry, 'ALPHA:ERASED');
  const persons = '1 person whose erasure was confirmed before: ALPHA:ERASED';
  const asked = await registry.run(['restore', file]);
  expect(asked.stderr).toContain(`would erase ${persons}\n`);
  expect(asked.stderr).not.toContain('\nerased');
  expect((await registry.run(['restore', file, '--yes'])).stdout).toContain(
    `erased ${persons}\nrestored `,
  );
});

test('erase-again names whom it would erase, and whom it cannot', async () => {
  const { registry, file } = await backedUp('ALPHA:ERASED', 'ALPHA:LINKED');
  for (const code of ['ALPHA:ERASED', 'ALPHA:LINKED']) await erase(registry, code);
  // As after Time Travel.
  await restoreWithoutBucket(registry, file);
  const dry = await registry.run('contact erase-again --dry-run');
  expect(dry.stdout).toBe(
    'would erase 2 persons whose erasure was confirmed before: ALPHA:ERASED, ALPHA:LINKED\n',
  );

  await registry.done('domain import -', 'name,registrar,registrant\na.ee,ALPHA,ALPHA:LINKED\n');
  const again = await registry.run('contact erase-again --yes');
  expect(again).toMatchObject({ status: 1, stderr: expect.stringMatching(/^request \S+\n$/) });
  expect(again.stdout).toMatch(
    /^erased 1 person whose erasure was confirmed before: ALPHA:ERASED\nnot erased: ALPHA:LINKED: domains refer to ALPHA:LINKED/,
  );
});

test('restore says that it cannot know who was erased since, if there is no bucket', async () => {
  const { registry, file } = await backedUp('ALPHA:ERASED');
  await erase(registry, 'ALPHA:ERASED');
  const { status, stdout } = await restoreWithoutBucket(registry, file);
  expect(status).toBe(0);
  expect(stdout).toContain(
    'wrangler.toml binds no ARCHIVE, so whoever was erased since is back: erase them again\n',
  );
});

const restoreWithoutBucket = (registry: TestRegistry, file: string) =>
  runWith(registry, ['restore', file, '--yes'], () => ({ ARCHIVE: undefined }));

test('a contact that was created again after its erasure is not erased again', async () => {
  const registry = await tool.newRegistry('ALPHA');
  await importContact(registry);
  await erase(registry, contact.uuid);
  await importContact(registry);
  expect(await registry.done('contact erase-again')).toMatchObject({ erased_again: [] });
});

const noRoom = () => Promise.reject(new Error('no room'));
const contactsOf = async (registry: TestRegistry) => (await registry.rows()).contacts!;
const keysOf = async (registry: TestRegistry) => {
  const { env, dispose } = await registry.open();
  const { objects } = await env.ARCHIVE!.list({ prefix: 'erasures' });
  await dispose();
  return objects.map(({ key }) => key);
};

test('contact erase erases nobody if the bucket takes no note of it', async () => {
  const { registry, file } = await backedUp('ALPHA:ERASED');
  const [{ uuid }] = (await contactsOf(registry)) as [{ uuid: string }];
  const erasing = ['contact', 'erase', uuid, '--yes'];
  expect(await runWith(registry, erasing, () => ({ ARCHIVE: { put: noRoom } }))).toEqual({
    status: 1,
    stdout: '',
    stderr:
      'failed: the bucket ARCHIVE takes no note of the erasure (no room), so nothing was erased: repeat the command\n',
  });
  expect(await contactsOf(registry)).toMatchObject([{ uuid }]);
  expect(await erase(registry, uuid)).toMatchObject({ changed: true });
  expect(await registry.done(['restore', file, '--yes'])).toMatchObject({
    erased_again: [{ code: 'ALPHA:ERASED', uuid }],
  });
});

test('contact erase records an erasure that was made without a bucket when it is repeated', async () => {
  const { registry, file } = await backedUp('ALPHA:ERASED');
  const [{ uuid }] = (await contactsOf(registry)) as [{ uuid: string }];
  await runWith(registry, ['contact', 'erase', uuid, '--yes'], () => ({ ARCHIVE: undefined }));
  expect(await contactsOf(registry)).toEqual([]);
  expect(await erase(registry, uuid)).toMatchObject({ changed: false });
  expect(await registry.done(['restore', file, '--yes'])).toMatchObject({
    erased_again: [{ code: 'ALPHA:ERASED', uuid }],
  });
});

test('contact erase records its repetition even if the bucket has a record of an earlier erasure', async () => {
  const registry = await tool.newRegistry('ALPHA');
  await importContact(registry);
  await erase(registry, contact.uuid);
  await importContact(registry);
  const file = path.join(await tool.newDirectory(), 'backup.sqlite');
  await registry.done(['backup', file]);
  await erase(registry, contact.uuid);
  expect(await registry.done(['restore', file, '--yes'])).toMatchObject({
    erased_again: [{ code: contact.code, uuid: contact.uuid }],
  });
});

/** A process that is killed does nothing further, and neither do these bindings after so many batches and notes. */
function killedAfter(calls: number): (env: Env) => Partial<Env> {
  let left = calls;
  const once = async <Result>(call: () => Promise<Result>) => {
    left -= 1;
    if (left < 0) throw new Error('killed');
    return call();
  };
  return ({ DB, ARCHIVE }) => ({
    DB: {
      prepare: DB.prepare.bind(DB),
      batch: (statements: D1PreparedStatement[]) => once(() => DB.batch(statements)),
    } as unknown as D1Database,
    ARCHIVE: {
      put: (key: string) => once(() => ARCHIVE!.put(key, '')),
    } as unknown as R2Bucket,
  });
}

test.each([
  ['before the note', 2, { isNoted: false, isErased: false }],
  ['after the note', 3, { isNoted: true, isErased: false }],
  ['right before the batch', 5, { isNoted: true, isErased: false }],
  ['right after the batch', 6, { isNoted: true, isErased: true }],
])(
  'a restore and a repetition make a confirmed erasure that was killed %s',
  async (_, calls, { isNoted, isErased }) => {
    const { registry, file } = await backedUp('ALPHA:ERASED');
    const erasing = 'contact erase ALPHA:ERASED --yes'.split(' ');
    await runWith(registry, erasing, killedAfter(calls));
    expect(await contactsOf(registry)).toHaveLength(isErased ? 0 : 1);
    expect(await registry.done(['restore', file, '--yes'])).toMatchObject({
      erased_again: isNoted ? [{ code: 'ALPHA:ERASED' }] : [],
    });
    expect((await textOf(registry)).includes('Jaan Tamm')).toBe(!isNoted);
    if (!isNoted) await registry.done(erasing);
    expect(await textOf(registry)).not.toContain('Jaan Tamm');
  },
);

test.each([
  ['before the note', 0, { isNoted: false, isErased: false }],
  ['after the note', 1, { isNoted: true, isErased: false }],
  ['right after the batch', 2, { isNoted: true, isErased: true }],
])(
  'a restore makes the erasure of a former person that was killed %s',
  async (_, calls, { isNoted, isErased }) => {
    const { registry, former } = await correctedContact();
    await runWith(registry, eraseFormer.split(' '), killedAfter(calls));
    expect((await textOf(registry)).includes('Vana Isik')).toBe(!isErased);
    expect(await registry.done(['restore', former, '--yes'])).toMatchObject({
      erased_again: isNoted ? [{ code: 'ALPHA:TAMM', former: true }] : [],
    });
    const rows = await textOf(registry);
    expect(rows.includes('Vana Isik')).toBe(!isNoted);
    expect(rows).toContain('Mari');
  },
);

test('contact erase-again makes an erasure that was confirmed and interrupted', async () => {
  const { registry } = await backedUp('ALPHA:ERASED');
  await runWith(registry, 'contact erase ALPHA:ERASED --yes'.split(' '), killedAfter(3));
  const dry = await registry.run('contact erase-again --dry-run');
  expect(dry.stdout).toBe(
    'would erase 1 person whose erasure was confirmed before: ALPHA:ERASED\n',
  );
  await registry.done('contact erase-again --yes');
  expect(await contactsOf(registry)).toEqual([]);
});

test('a restore spares the person who got the contact after an erasure was interrupted', async () => {
  const { registry } = await backedUp('ALPHA:TAMM');
  await runWith(registry, 'contact erase ALPHA:TAMM --yes'.split(' '), killedAfter(3));
  await registry.done('contact update ALPHA:TAMM --ident 47101010033 --name Mari --yes');
  const later = path.join(await tool.newDirectory(), 'later.sqlite');
  await registry.done(['backup', later]);
  expect(await registry.done(['restore', later, '--yes'])).toMatchObject({ erased_again: [] });
  expect(await contactsOf(registry)).toMatchObject([{ name: 'Mari', ident: '47101010033' }]);
});

/** Bindings with which somebody prohibits the deletion, or corrects the identity back, once the bucket has its note. */
const changing =
  (sql: string, remove?: () => Promise<void>) =>
  ({ DB, ARCHIVE }: Env) => ({
    ARCHIVE: {
      put: async (key: string, value: string) => {
        await ARCHIVE!.put(key, value);
        await DB.prepare(sql).run();
      },
      delete: remove ?? ((key: string) => ARCHIVE!.delete(key)),
    },
  });
const prohibiting = `update contacts set statuses = '["serverDeleteProhibited"]'`;

test('the bucket forgets an erasure that was refused meanwhile, and a restore keeps the person', async () => {
  const { registry, file } = await backedUp('ALPHA:TAMM');
  const erasing = 'contact erase ALPHA:TAMM --yes'.split(' ');
  const refused = await runWith(registry, erasing, changing(prohibiting));
  expect(refused).toMatchObject({ status: 1, stderr: expect.stringMatching(/^refused: /) });
  expect(await keysOf(registry)).toEqual([]);
  expect(await registry.done(['restore', file, '--yes'])).toMatchObject({ erased_again: [] });
  expect(await contactsOf(registry)).toMatchObject([{ code: 'ALPHA:TAMM' }]);
});

test('the bucket forgets the erasure of a former person that was refused meanwhile', async () => {
  const { registry } = await correctedContact();
  const correcting = `update contacts set ident = '38001085718', ident_key = '38001085718'`;
  const refused = await runWith(registry, eraseFormer.split(' '), changing(correcting));
  expect(refused.stderr).toContain('refused: ALPHA:TAMM belongs to this person now');
  expect(await keysOf(registry)).toEqual([]);
});

test('contact erase names the note of a refused erasure that the bucket keeps', async () => {
  const { registry } = await backedUp('ALPHA:TAMM');
  const erasing = 'contact erase ALPHA:TAMM --yes'.split(' ');
  const refused = await runWith(registry, erasing, changing(prohibiting, noRoom));
  const [key] = await keysOf(registry);
  expect(refused.status).toBe(1);
  expect(refused.stderr.split('\n').slice(1)).toEqual([
    `failed: the bucket ARCHIVE keeps its note of the refused erasure (no room), and a restore would erase: delete ${key}`,
    '',
  ]);
});

/** A contact whose identity was corrected from one person to another, and a backup of before and after that. */
async function correctedContact() {
  const registry = await tool.newRegistry('ALPHA');
  const { uuid } = contact;
  await registry.addRecords({ ...contact, name: 'Vana Isik' });
  const directory = await tool.newDirectory();
  const [held, former] = ['held.sqlite', 'former.sqlite'].map((name) => path.join(directory, name));
  await registry.done(['backup', held!]);
  await registry.done([
    ...'contact update ALPHA:TAMM --ident 47101010033 --yes --name'.split(' '),
    'Mari',
  ]);
  await registry.done(['disclosure', 'open', '--contact', 'ALPHA:TAMM', ...disclosed]);
  await registry.done(['backup', former!]);
  return { registry, uuid, held: held!, former: former! };
}

const disclosed =
  '--requester Mari --identified-by card --organization Police --basis law --fields name'.split(
    ' ',
  );
const eraseFormer = 'contact erase ALPHA:TAMM --former 380010-85718 --yes';

test('a former person who was erased is erased again after a restore, and is named', async () => {
  const { registry, uuid, former } = await correctedContact();
  await registry.done(eraseFormer);
  const [key] = await keysOf(registry);
  expect(key).toMatch(
    new RegExp(`^erasures-of-former/${uuid}/[0-9a-f]{3}/\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z$`),
  );
  const restore = ['restore', former, '--yes'];
  expect(await registry.done(restore)).toMatchObject({
    erased_again: [{ code: 'ALPHA:TAMM', uuid, former: true }],
    not_erased: [],
  });
  const rows = JSON.stringify(await registry.rows());
  expect(rows).not.toContain('Vana Isik');
  expect(rows).not.toContain('38001085718');
  expect(await registry.done('contact show ALPHA:TAMM')).toMatchObject({
    contact: { name: 'Mari', ident: '47101010033' },
  });
  expect(await registry.done('contact erase-again')).toMatchObject({ erased_again: [] });
});

test('a restore names a contact that belongs again to a person who was erased from it, and ends with 1', async () => {
  const { registry, held } = await correctedContact();
  await registry.done(eraseFormer);
  const { status, stdout } = await registry.run(['restore', held, '--yes']);
  expect(status).toBe(1);
  expect(stdout).toContain(
    'erased 0 persons whose erasure was confirmed before\nnot erased: ALPHA:TAMM: ALPHA:TAMM belongs to this person now: erase it without --former\n',
  );
});

test('who had the contact again after the erasure is not erased by a restore', async () => {
  const { registry } = await correctedContact();
  await registry.done(eraseFormer);
  for (const ident of ['38001085718', '47101010033']) {
    await registry.done(`contact update ALPHA:TAMM --ident ${ident} --yes`);
  }
  const later = path.join(await tool.newDirectory(), 'later.sqlite');
  await registry.done(['backup', later]);
  expect(await registry.done(['restore', later, '--yes'])).toMatchObject({ erased_again: [] });
});

test('contact erase --former refuses a person who never had the contact, and notes nothing', async () => {
  const { registry } = await correctedContact();
  const before = await registry.rows();
  const ofNobody = 'contact erase ALPHA:TAMM --former 39001085715';
  for (const command of [`${ofNobody} --dry-run`, ofNobody, `${ofNobody} --yes`]) {
    expect(await registry.run(command)).toMatchObject({
      status: 1,
      stderr: 'refused: nobody with this identity code had ALPHA:TAMM before\n',
    });
  }
  expect(await registry.rows()).toEqual(before);
  expect(await keysOf(registry)).toEqual([]);
});

test('contact erase --former that is repeated notes the erasure again', async () => {
  const { registry, uuid } = await correctedContact();
  await registry.done(eraseFormer);
  await registry.done(eraseFormer);
  const notes = (await keysOf(registry)).map((key) => key.split('/').slice(0, 2).join('/'));
  expect(new Set(notes)).toEqual(new Set([`erasures-of-former/${uuid}`]));
  expect(notes.length).toBeGreaterThan(1);
});

test('contact erase --former erases nobody if the bucket takes no note of it', async () => {
  const { registry } = await correctedContact();
  const before = await registry.rows();
  const failing = () => ({ ARCHIVE: { put: noRoom } });
  const { status, stderr } = await runWith(registry, eraseFormer.split(' '), failing);
  expect(status).toBe(1);
  expect(stderr).toContain('takes no note of the erasure (no room), so nothing was erased');
  expect(await registry.rows()).toEqual(before);
});
