import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { document, operations } from '../worker/http/openapi/operations.ts';
import { hostileJson, hostileText } from './hostile.ts';
import type { World } from './world.ts';

const people = ['Mari Maasikas', 'Õie Ämblik', '王小明', 'O’Brien & Sons', 'Tartu'];
export const plainText = fc.constantFrom(...people);

/** Texts for any field: each gets those that its schema allows. */
const texts = [
  ...people,
  ...['a@example.ee', 'õie@näide.ee', 'a.b+c@example.co.uk', '+372.5123456', '+1.2025550123'],
  ...['EE', 'lv', '50090', 'LV-1010', 'sesame', '', '2026-01-02T03:04:05.678Z', '2099-12-31'],
];

type Samples = Record<string, unknown[]>;

/** Values for fields of which the schema says too little, by name. Without a world, they may name what is nowhere. */
function samplesOf(world?: World): Samples {
  const contacts = [...(world?.ownContacts ?? []).map(({ code }) => code), 'NOBODY:1'];
  const secrets = [world?.registrationCode ?? '', 'sesame', null];
  return {
    ident: [
      { ident: '38001085718', ident_type: 'priv', ident_country_code: 'EE' },
      { ident: '12345678', ident_type: 'org', ident_country_code: 'ee' },
      { ident: '1990-05-05', ident_type: 'birthday', ident_country_code: 'LV' },
      { ident: 'ABC-123', ident_type: 'priv', ident_country_code: 'US' },
      '49403136526',
    ],
    id: ['F1', 'F2', 'F3', 'F4', null],
    name: [...people, 'told.ee'],
    names: ['retained1.ee', 'Õ.ee', 'xn--mda.ee', 'no name'],
    domain: ['retained1.ee', 'free.ee', 'FREE2.ee', 'xn--mda.ee'],
    registrar: [world?.prefix ?? 'NOBODY', 'NOBODY'],
    // Contacts of the registrar that calls, so that nobody comes to see another's data.
    registrant: contacts,
    admin_contacts: contacts,
    tech_contacts: contacts,
    reference: [...(world?.codes ?? []), 'NOBODY:1'],
    registration_code: secrets,
    password: secrets,
    platform: ['auto', null],
    last_day: ['2099-12-31', '2001-01-01', null],
    registration_deadline: ['2026-12-31', '2026-12-31T23:59:59+02:00', null],
    identification_request_id: ['a0000000-0000-4000-8000-000000000001', 'x'],
  };
}

// biome-ignore lint/suspicious/noExplicitAny: a schema of any kind
type Schema = any;

const ajv = new Ajv2020({ strict: false, formats: { 'idn-email': /.@.+\../ } });
addFormats.default(ajv);

/** Values that the schema of a field allows. */
function arbitraryOf(schema: Schema, name: string, samples: Samples): fc.Arbitrary<unknown> {
  const isAllowed = (value: unknown) => ajv.validate(schema, value);
  const known = (samples[name] ?? []).filter(isAllowed);
  if (known.length > 0) return fc.constantFrom(...known);
  if (schema.anyOf) {
    const either: Schema[] = schema.anyOf;
    return fc.oneof(...either.map((one) => arbitraryOf(one, name, samples)));
  }
  const [type] = [schema.type].flat();
  if (type === 'object') return objectOf(schema, samples);
  if (type === 'array') {
    const { items, minItems: minLength = 0 } = schema;
    return fc.array(arbitraryOf(items, name, samples), { minLength, maxLength: 4 });
  }
  const values = schema.enum ?? ('const' in schema ? [schema.const] : texts.filter(isAllowed));
  if (values.length === 0) throw new Error(`say in texts or samplesOf what ${name} takes`);
  return fc.constantFrom(...values);
}

const propertiesOf = ({ properties, anyOf: [first] = [] }: Schema): Record<string, Schema> =>
  properties ?? first?.properties ?? {};

/** An object of the schema. What may stand in a group or beside it stands in the group. */
function objectOf(schema: Schema, samples: Samples): fc.Arbitrary<object> {
  const properties = Object.entries(propertiesOf(schema));
  const grouped = properties.flatMap(([, group]) => Object.keys(propertiesOf(group)));
  const fields = properties
    .filter(([name, field]) => !grouped.includes(name) || Object.keys(propertiesOf(field)).length)
    .map(([name, field]) => [name, arbitraryOf(field, name, samples)]);
  return fc.record(Object.fromEntries(fields), { requiredKeys: schema.required ?? [] });
}

const withoutNames = (path: string) => path.replace(/:\w+(\{.*?\})?|\{\w+\}/g, '*');

/** A body that the route takes, as the document has it; undefined if the document lacks the route. */
export function validBody(
  method: string,
  path: string,
  world?: World,
): fc.Arbitrary<object> | undefined {
  const operation = operations.find(
    (call) => call.method === method && withoutNames(call.path) === withoutNames(path),
  );
  if (!operation) return undefined;
  const schema: Schema = operation.requestBody?.content['application/json'].schema ?? {};
  const name = schema.$ref?.split('/').at(-1);
  return objectOf(name ? document.components.schemas[name] : schema, samplesOf(world));
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
