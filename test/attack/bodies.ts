import fc from 'fast-check';
import { hostileJson, hostileText } from './hostile.ts';

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
const address = fc.record(
  {
    street: plainText,
    city: plainText,
    zip: fc.constantFrom('50090', 'LV-1010', null),
    state: fc.constantFrom('', null, 'Harju'),
    country_code: fc.constantFrom('EE', 'lv', ''),
  },
  { requiredKeys: [] },
);
const common = {
  name: plainText,
  email: fc.constantFrom('a@example.ee', 'õie@näide.ee', 'a.b+c@example.co.uk'),
  phone: fc.constantFrom('+372.5123456', '+1.2025550123'),
  fax: fc.constantFrom('+372.6123456', null, ''),
};
const contactFields = {
  ...common,
  org_name: fc.constantFrom('Näidis OÜ', null),
  auth_info: fc.constantFrom('sesame', null),
  addr: address,
};

/** A body that the route takes. */
export function validBody(method: string, path: string): fc.Arbitrary<object> {
  if (path.startsWith('/repp/v1/contacts')) {
    const created = fc.record(
      { ...contactFields, ident: identity, id: fc.constantFrom('F1', 'F2', 'F3', 'F4', null) },
      { requiredKeys: ['name', 'email', 'phone', 'ident'] },
    );
    const updated = fc.record(contactFields, { requiredKeys: [] });
    return (method === 'POST' ? created : updated).map((contact) => ({ contact }));
  }
  if (path.startsWith('/repp/v1/registrar/notifications')) {
    return fc.constant({ notification: { read: true } });
  }
  if (path.includes('/auth')) {
    const person = { ident: '49403136526', first_name: 'Kati', last_name: 'Karu' };
    return fc.constantFrom<object>(person, { ...person, country_code: 'LV' });
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
  const disclosed = fc.subarray(['name', 'email']);
  const changed = { ...common, address, disclosed_attributes: disclosed };
  return fc.record(changed, { requiredKeys: [] });
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
