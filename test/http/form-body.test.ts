import { expect, test } from 'vitest';
import { parseFormBody } from '../../src/http/form-body.ts';

test.each<[string, object]>([
  ['', {}],
  ['name=J%C3%B5geva+Mari&fax=', { name: 'Jõgeva Mari', fax: '' }],
  ['a=1=2&b&=c', { a: '1=2', b: '', '': 'c' }],
  ['address[street]=Pikk&address%5Bcity%5D=', { address: { street: 'Pikk', city: '' } }],
  ['list[]=a&list[]=b', { list: ['a', 'b'] }],
  ['list[0]=a&list[1]=b', { list: ['a', 'b'] }],
  ['name=a&name=b', { name: ['a', 'b'] }],
  ['address=x&address[street]=y', { address: ['x', { street: 'y' }] }],
  ['address[street]=y&address=x', { address: [{ street: 'y' }, 'x'] }],
  ['address[street][deep]=x&a[b]c=y', { 'address[street][deep]': 'x', 'a[b]c': 'y' }],
  ['[street]=x&a]=y&b[=z', { '[street]': 'x', 'a]': 'y', 'b[': 'z' }],
])('reads the form %j', (text, fields) => {
  expect(parseFormBody(text)).toEqual(fields);
});

test('reads a hostile name as any other', () => {
  const fields = parseFormBody('__proto__[polluted]=x&constructor[prototype]=x');
  expect(Object.keys(fields)).toEqual(['__proto__', 'constructor']);
  expect({}).not.toHaveProperty('polluted');
});

test.each(['name=%ff', 'name=Mari%4', '%=x', Array(101).fill('x=1').join('&')])(
  'refuses the form %j',
  (text) => {
    expect(() => parseFormBody(text)).toThrow();
  },
);
