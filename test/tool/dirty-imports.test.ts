import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { dirtyText } from './dirt.ts';
import { startTool } from './tool.ts';

const registry = startTool().sharedRegistry('ALPHA', 'BETA');

const name = fc.nat(8).map((n) => `nimi${n}õ.ee`);
const day = fc.constantFrom('2026-01-01', '2027-02-03');
const code = fc.constantFrom('ALPHA:1', 'ALPHA:2', 'BETA:1');
const registrar = fc.constantFrom('ALPHA', 'BETA');
const text = fc.constant('Mari Maasikas');

/** The commands that take rows from a file, with right values for their columns. */
const imports: Record<string, Record<string, fc.Arbitrary<string>>> = {
  'contact import': {
    ...{ registrar, code, name: text, email: fc.constant('mari@example.ee') },
    ...{ phone: fc.constant('+372.5123456'), ident: fc.constant('38001085718') },
    ...{ ident_type: fc.constant('priv'), ident_country_code: fc.constant('EE') },
    ...{ org_name: text, street: text, city: text, zip: fc.constant('10123') },
    ...{
      country_code: fc.constant('EE'),
      statuses: fc.constant('ok'),
      legacy_id: fc.constant('7'),
    },
  },
  'domain import': { name, registrar, registrant: code, admin: code, tech: code },
  'retained import': {
    ...{ name, status: fc.constantFrom('reserved', 'blocked') },
    ...{ password: fc.constant(''), last_day: fc.constant('') },
  },
  'dispute import': {
    ...{ name, from: day, until: fc.constantFrom('', '2028-01-01') },
    ...{ password: text, comment: text, initiator: text, closed_at: fc.constant('') },
  },
  'auction import': { name },
};

/** What an operator cannot understand: errors of the code and of SQLite. */
const internal =
  /TypeError|RangeError|ZodError|SQLITE|D1_ERROR|constraint|undefined|NaN|\[object|\.ts:/;

test.each(Object.entries(imports))(
  '%s takes or refuses each row of a dirty file, once, and says in plain words what is wrong',
  async (command, columns) => {
    const cells = Object.entries(columns).map(([column, right]) => [
      column,
      fc.oneof({ weight: 12, arbitrary: right }, dirtyText),
    ]);
    const rows = fc.array(fc.record(Object.fromEntries(cells)), { minLength: 1, maxLength: 12 });
    const format = fc.constantFrom('csv', 'ndjson');
    let files = 0;
    await fc.assert(
      fc.asyncProperty(fc.noShrink(rows), format, async (given, format) => {
        files += 1;
        const content =
          format === 'csv'
            ? stringify(given, { header: true })
            : given.map((row) => `${JSON.stringify(row)}\n`).join('');
        const stem = `${command.replace(' ', '-')}-${files}`;
        const file = await registry.file(`${stem}.${format}`, content);
        const before = await registry.rows();
        const whole = await registry.run([...command.split(' '), file]);
        expect(whole.stdout + whole.stderr).not.toMatch(internal);
        expect([0, 1]).toContain(whole.status);
        if (whole.status === 1) {
          expect(whole.stderr).toContain(`${stem}.${format}:`);
          expect(await registry.rows()).toEqual(before);
        }
        const some = [...command.split(' '), file, '--skip-invalid', '--rejected'];
        const first = await registry.done([...some, `${file}.rejected`]);
        // A domain of which a role is cleared is counted as updated, too.
        const { read, admin_cleared, tech_cleared, ...others } = first;
        const counts = Object.values(others).filter((count) => typeof count === 'number');
        // Readers of CSV skip empty lines.
        const isRow = (row: object) => Object.values(row).join() !== '' || format === 'ndjson';
        expect(read).toBe(given.filter(isRow).length);
        expect(counts.reduce((all, count) => all + count, 0)).toBe(read);
        expect(first.rejected > 0).toBe(whole.status === 1);
        const again = await registry.done([...some, `${file}.rejected-again`]);
        expect(again).toMatchObject({ read, rejected: first.rejected, changed: false });
      }),
      { numRuns: inject('isDeep') ? 30 : 4 },
    );
  },
);
