import fc from 'fast-check';
import { type ContactChanges, contactColumns, type Sender } from '../../src/contact/fields.ts';
import { hostileJson, hostileText } from './hostile.ts';
import type { World } from './world.ts';

const identity = fc.constantFrom(
  { ident: '38001085718', ident_type: 'priv', ident_country_code: 'EE' },
  { ident: '12345678', ident_type: 'org', ident_country_code: 'ee' },
  { ident: '1990-05-05', ident_type: 'birthday', ident_country_code: 'LV' },
  { ident: 'ABC-123', ident_type: 'priv', ident_country_code: 'US' },
);
export const plainText = fc.constantFrom(
  'Mari Maasikas',
  'Õie Ämblik',
  '王小明',
  'O’Brien & Sons',
  'Tartu',
);
type Fields = Record<string, fc.Arbitrary<unknown>>;

const objectOf = (fields: Fields, ...requiredKeys: string[]) => fc.record(fields, { requiredKeys });

/** Values for every field that an update may change. */
const values: Record<keyof ContactChanges, fc.Arbitrary<unknown>> = {
  name: plainText,
  email: fc.constantFrom('a@example.ee', 'õie@näide.ee', 'a.b+c@example.co.uk'),
  phone: fc.constantFrom('+372.5123456', '+1.2025550123'),
  fax: fc.constantFrom('+372.6123456', null, ''),
  orgName: fc.constantFrom('Näidis OÜ', null),
  authInfo: fc.constantFrom('sesame', null),
  street: plainText,
  city: plainText,
  zip: fc.constantFrom('50090', 'LV-1010', null),
  state: fc.constantFrom('', null, 'Harju'),
  countryCode: fc.constantFrom('EE', 'lv', ''),
  disclosedAttributes: fc.subarray(['name', 'email']),
};

/** The fields that a sender may send, with their names on the wire. */
function fieldsOf(sender: Sender, addressName: string): Fields {
  const fields: Fields = {};
  const address: Fields = {};
  for (const [column, { sentBy, group, [sender]: path }] of contactColumns) {
    if (!sentBy.includes(sender) || group === 'identity') continue;
    const around = group === 'address' ? address : fields;
    around[path!.split('.').at(-1)!] = values[column as keyof ContactChanges];
  }
  return { ...fields, [addressName]: objectOf(address) };
}
const ofRegistrar = fieldsOf('registrar', 'addr');
const ofRegistrant = fieldsOf('registrant', 'address');

/** A domain with contacts of the registrar that calls, so that nobody comes to see another's data. */
function domainOf(world: World | undefined) {
  const code = fc.constantFrom(...(world?.ownContacts ?? []).map(({ code }) => code), 'NOBODY:1');
  const codes = fc.array(code, { maxLength: 3 });
  return objectOf(
    {
      registrar: fc.constantFrom(world?.prefix ?? 'NOBODY', 'NOBODY'),
      registrant: code,
      admin_contacts: codes,
      tech_contacts: codes,
    },
    'registrar',
    'registrant',
  );
}

/** A body that the route takes; undefined if none is known. Without a world, it may name what is nowhere. */
export function validBody(
  method: string,
  path: string,
  world?: World,
): fc.Arbitrary<object> | undefined {
  if (path.startsWith('/api/v1/internal/domains/')) {
    if (path.endsWith('/transfer')) {
      return fc.constantFrom(world?.prefix ?? '', 'NOBODY').map((registrar) => ({ registrar }));
    }
    if (path.endsWith('/batch')) {
      const told = domainOf(world).map((domain) => ({ name: 'told.ee', ...domain }));
      const gone = fc.constantFrom({ name: 'told.ee', deleted: true }, { name: 'x' }, 7);
      return fc.array(fc.oneof(told, gone), { minLength: 1 }).map((domains) => ({ domains }));
    }
    return domainOf(world).map((domain) => ({ domain }));
  }
  if (path.endsWith('/registration')) {
    const secret = fc.constantFrom(world?.registrationCode ?? '', 'sesame', null);
    const fields = { domain: domainOf(world), registration_code: secret, password: secret };
    return objectOf(fields, 'domain');
  }
  if (path.startsWith('/repp/v1/contacts')) {
    const id = fc.constantFrom('F1', 'F2', 'F3', 'F4', null);
    const required = ['name', 'email', 'phone', 'ident'];
    const created = objectOf({ ...ofRegistrar, ident: identity, id }, ...required);
    if (path.endsWith('/validate')) {
      return fc.array(created, { minLength: 1, maxLength: 4 }).map((contacts) => ({ contacts }));
    }
    const updated = objectOf(ofRegistrar);
    return (method === 'POST' ? created : updated).map((contact) => ({ contact }));
  }
  if (path.startsWith('/eeid')) {
    const id = fc.constantFrom('a0000000-0000-4000-8000-000000000001', 'x');
    const reference = fc.constantFrom(...(world?.codes ?? []), 'NOBODY:1');
    return fc.record(
      { identification_request_id: id, client_id: fc.constant('client'), reference },
      { requiredKeys: ['identification_request_id', 'client_id'] },
    );
  }
  if (path.endsWith('/secret')) return fc.constant({});
  if (path.startsWith('/repp/v1/registrar/notifications')) {
    return fc.constant({ notification: { read: true } });
  }
  if (path.includes('/auth')) {
    const person = { ident: '49403136526', first_name: 'Kati', last_name: 'Karu' };
    return fc.constantFrom<object>(person, { ...person, country_code: 'LV' });
  }
  if (path.startsWith('/api/v1/internal/retained_domains/')) {
    return fc.record(
      {
        password: fc.constantFrom('sesame', null),
        last_day: fc.constantFrom('2099-12-31', '2001-01-01', null),
      },
      { requiredKeys: [] },
    );
  }
  if (path === '/api/v1/internal/auctions') {
    const domain = fc.constantFrom('retained1.ee', 'free.ee', 'FREE2.ee', 'xn--mda.ee');
    const auction = fc.record(
      { domain, platform: fc.constantFrom('auto', null) },
      { requiredKeys: ['domain'] },
    );
    return fc.record({ auction });
  }
  if (path.startsWith('/api/v1/auctions')) {
    return fc.record(
      {
        status: fc.constantFrom(
          'awaiting_payment',
          'no_bids',
          'payment_received',
          'payment_not_received',
          'domain_not_registered',
        ),
        registration_deadline: fc.constantFrom('2026-12-31', '2026-12-31T23:59:59+02:00', null),
        platform: fc.constant('auto'),
      },
      { requiredKeys: [] },
    );
  }
  if (path.endsWith('/lookup')) {
    const name = fc.constantFrom('retained1.ee', 'Õ.ee', 'xn--mda.ee', 'no name');
    return fc.record({ names: fc.array(name, { minLength: 1, maxLength: 5 }) });
  }
  return path.startsWith('/api/v1/registrant/contacts') ? objectOf(ofRegistrant) : undefined;
}

/** Stands in a value for the JSON that is put there once it is text. */
const placeholder = '@hostile@';

/** The valid body with one thing wrong in it: a value replaced, a field added, or one left out. */
export function bentBody(valid: fc.Arbitrary<object>): fc.Arbitrary<string> {
  const change = fc.record({
    at: fc.nat(30),
    way: fc.constantFrom('replace', 'replace', 'add', 'remove'),
    json: hostileJson,
    name: hostileText,
  });
  return fc.tuple(valid, change).map(([body, { at, way, json, name }]) => {
    const copy = structuredClone(body) as Record<string, unknown>;
    const places: [Record<string, unknown>, string][] = [];
    const walk = (object: Record<string, unknown>) => {
      for (const [key, value] of Object.entries(object)) {
        places.push([object, key]);
        if (typeof value === 'object' && value !== null) walk(value as Record<string, unknown>);
      }
    };
    walk(copy);
    const [object, key] = places[at % Math.max(places.length, 1)] ?? [copy, 'name'];
    if (way === 'remove') delete object[key];
    else if (way === 'add' && !Array.isArray(object))
      Object.assign(object, { [name]: placeholder });
    else object[key] = placeholder;
    return JSON.stringify(copy).replace(`"${placeholder}"`, () => json);
  });
}
