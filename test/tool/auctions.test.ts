import { beforeAll, expect, test } from 'vitest';
import { startTool } from './tool.ts';

const registry = startTool().sharedRegistry('ALPHA');

beforeAll(async () => {
  await registry.addContacts('ALPHA:1');
  await registry.done('domain import -', 'name,registrar,registrant\ndomeen.ee,ALPHA,ALPHA:1\n');
  await registry.done('retained add reserv.ee --status reserved');
  await registry.done('retained add keeld.ee --status blocked');
  const days = ['--first-day', '2020-01-01', '--last-day', '2099-12-31'];
  await registry.done(['dispute', 'open', 'vaidlus.ee', ...days]);
});

test('starts no auction of a domain, a blocked, a reserved or a disputed name', async () => {
  const names = ['domeen.ee', 'keeld.ee', 'reserv.ee', 'vaidlus.ee', 'vaba.ee'];
  const { status, stderr } = await registry.run(['auction', 'start', ...names]);
  expect(status).toBe(1);
  expect(stderr).toBe(
    'refused: "domeen.ee" is a registered domain [name]\n' +
      'refused: "keeld.ee" is blocked [name]\n' +
      'refused: "reserv.ee" is reserved [name]\n' +
      'refused: "vaidlus.ee" is disputed [name]\n',
  );
  const file = `name\n${names.join('\n')}\n`;
  const imported = await registry.run('auction import -', file);
  expect(imported.stderr).toContain('refused: standard input:3: "keeld.ee" is blocked [name]\n');
  expect(await registry.done('auction list')).toEqual({ auctions: [] });
  const even = ['auction', 'start', ...names.slice(1), '--even-if-retained'];
  expect((await registry.run(even)).stderr).toBe('refused: "keeld.ee" is blocked [name]\n');
  expect(
    await registry.done([...even.slice(0, 2), ...names.slice(2), '--even-if-retained']),
  ).toMatchObject({ started: 3 });
});

test('shows and cancels an auction by its name, and keeps the reason', async () => {
  await registry.done('auction start viga.ee');
  const { id } = await registry.done('auction show viga.ee');
  expect(await registry.done(['auction', 'show', id])).toMatchObject({ domain: 'viga.ee' });
  const cancel = ['auction', 'cancel', 'viga.ee', '--reason', 'mistake', '--yes'];
  expect(await registry.done([...cancel, '--dry-run'])).toMatchObject({ changed: false });
  expect(await registry.done(cancel)).toMatchObject({ id, published: ['auctions'] });
  for (const key of ['viga.ee', id]) {
    const { history } = await registry.done(['history', 'auction', key]);
    expect(history.toReversed()).toMatchObject([
      { action: 'create', uuid: id },
      { action: 'delete', uuid: id, changes: { reason: { from: null, to: 'mistake' } } },
    ]);
  }
  expect((await registry.run(cancel)).stderr).toContain('there is no auction of "viga.ee"');
});

test.each(['', ' ', 'one\nanother', '\u0007'])('takes %j for no reason', async (reason) => {
  const ended = await registry.run(['auction', 'cancel', 'viga.ee', '--reason', reason]);
  const message = expect.stringContaining('1 to 255 characters on one line');
  expect(ended).toMatchObject({ status: 2, stderr: message });
});

test('corrects an auction after a wrong report, and publishes the list', async () => {
  await registry.done('auction start parandus.ee');
  const correct = (status: string) => [
    ...['auction', 'correct', 'parandus.ee', '--status', status],
    ...['--reason', 'wrong report', '--yes'],
  ];
  expect((await registry.run(correct('no_bids').slice(0, -1))).stderr).toContain('--yes');
  expect(await registry.done([...correct('no_bids'), '--dry-run'])).toMatchObject({
    status: 'no_bids',
    changed: false,
  });
  expect(await registry.done('auction show parandus.ee')).toMatchObject({ status: 'started' });

  expect(await registry.done(correct('payment_received'))).toMatchObject({
    changed: true,
    published: ['auctions'],
  });
  expect((await registry.run([...correct('no_bids')])).status).toBe(0);
  expect((await registry.run(correct('payment_received'))).stdout).toContain(
    'from no_bids to payment_received, with a new registration code\n',
  );
  const { id, registration_code: code } = await registry.done('auction show parandus.ee');
  expect(code).toMatch(/^[0-9a-f]{32}$/);
  expect((await registry.run(correct('payment_received'))).stdout).toMatch(/^nothing to change/);
  expect((await registry.run(correct('domain_registered'))).stderr).toContain(
    `; take back: npm run registry -- auction correct ${id} --status payment_received --reason 'taken back' --persist-to `,
  );
  const { history } = await registry.done(['history', 'auction', id]);
  expect(history[0]).toMatchObject({
    action: 'update',
    changes: {
      status: { from: 'payment_received', to: 'domain_registered' },
      registration_code: { redacted: true },
      reason: { from: null, to: 'wrong report' },
    },
  });

  await registry.done('auction start parandus.ee');
  const first = correct('started').with(2, id);
  expect(await registry.run(first)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('"parandus.ee" is in auction'),
  });
});

test.each([
  ['jalle.ee', [['auction start jalle.ee']], 'is in auction'],
  [
    'makstud.ee',
    [
      ['auction start makstud.ee'],
      ['auction correct makstud.ee --status payment_received --reason paid --yes'],
    ],
    'has a paid auction',
  ],
  [
    'ootel.ee',
    [
      ['auction start ootel.ee'],
      ['auction correct ootel.ee --status awaiting_payment --reason bid --yes'],
    ],
    'has an auction that awaits payment',
  ],
  [
    'voetud.ee',
    [['domain import -', 'name,registrar,registrant\nvoetud.ee,ALPHA,ALPHA:1\n']],
    'is a registered domain',
  ],
  ['kinni.ee', [['retained add kinni.ee --status blocked']], 'is blocked'],
])(
  'a correction gives %s back to no auction that has ended, once something else stands in the way',
  async (name, since, message) => {
    await registry.done(['auction', 'start', name]);
    const { id } = await registry.done(['auction', 'show', name]);
    const correct = (status: string) => [
      ...['auction', 'correct', id, '--status', status],
      ...['--reason', 'wrong report', '--yes'],
    ];
    await registry.done(correct('payment_not_received'));
    for (const [command, input] of since) await registry.done(command!, input);
    for (const status of ['started', 'awaiting_payment', 'payment_received']) {
      const { status: ended, stderr } = await registry.run(correct(status));
      expect([ended, stderr]).toEqual([
        1,
        expect.stringContaining(`refused: "${name}" ${message}`),
      ]);
    }
    expect(await registry.done(['auction', 'show', id])).toMatchObject({
      status: 'payment_not_received',
      registration_code: null,
    });
    await registry.done(correct('no_bids'));
  },
);

test('an auction of a reserved name is corrected as any other', async () => {
  await registry.done('retained add hoitud.ee --status reserved');
  await registry.done('auction start hoitud.ee --even-if-retained');
  for (const status of ['awaiting_payment', 'no_bids', 'payment_received', 'started']) {
    const correct = ['auction', 'correct', 'hoitud.ee', '--status', status, '--reason', 'wrong'];
    expect(await registry.done([...correct, '--yes'])).toMatchObject({ status, changed: true });
  }
});

test('an auction that holds a name is corrected, although the name was blocked meanwhile', async () => {
  await registry.done('auction start suletud.ee');
  await registry.done('retained add suletud.ee --status blocked');
  const correct = 'auction correct suletud.ee --reason wrong --yes --status';
  expect(await registry.done(`${correct} payment_received`)).toMatchObject({ changed: true });
  expect(await registry.done(`${correct} awaiting_payment`)).toMatchObject({ changed: true });
});

test.each([
  ['ZONES', ' EE, med.ee ', 'a.b.med.ee', 'belongs to "b.med.ee"'],
  [
    'NAME_LETTERS',
    'õ',
    'tаllinn.ee',
    'contains “а” (U+0430), and the letters of this registry are a-z and õ',
  ],
])(
  'with %s = %s, refuses %s wherever it would come into the registry',
  async (setting, value, name, why) => {
    const before = process.env[setting];
    process.env[setting] = value;
    try {
      const message = `"${name}" ${why} [name]\n`;
      for (const args of [
        ['auction', 'start', name],
        ['retained', 'add', name, '--status', 'blocked'],
        ['dispute', 'open', name, '--first-day', '2026-01-01', '--last-day', '2026-01-02'],
      ]) {
        expect((await registry.run(args)).stderr).toContain(message);
      }
      for (const [args, columns, row] of [
        ['retained import - --status blocked', 'name', name],
        ['auction import -', 'name', name],
        ['dispute import -', 'name,first_day', `${name},2026-01-01`],
      ] as const) {
        const imported = await registry.run(args, `${columns}\n${row}\n`);
        expect(imported.stderr).toBe(`refused: standard input:2: ${message}`);
      }
      expect((await registry.run(['retained', 'remove', name, '--status', 'blocked'])).status).toBe(
        0,
      );
    } finally {
      if (before === undefined) delete process.env[setting];
      else process.env[setting] = before;
    }
  },
);
