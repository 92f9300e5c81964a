import * as z from 'zod/mini';
import { nameOpenedFor, readDomainName } from './domain-name.ts';
import { textField, unseenIn } from './field.ts';

/** RFC 5321, section 4.5.3.1.1. */
const maximumLocalOctets = 64;
const emailForm = `at most ${maximumLocalOctets} bytes (letters of any script, RFC 6531), \`@\`, and a domain name, which may be international`;

export const emailField = (message: string) =>
  z.pipe(textField(message, 255, undefined, emailForm), emailAddress(message));

/** Letters, marks and digits of any script, except those that Unicode lets fonts omit. */
const letter = '(?!\\p{Default_Ignorable_Code_Point})[\\p{L}\\p{M}\\p{N}]';

/** RFC 5321's dot-string of atoms, with RFC 6531's letters of every script. Quoted strings are refused. */
const atom = `(${letter}|[!#$%&'*+\\-/=?^_\`{|}~])+`;
const localPattern = new RegExp(`^${atom}(\\.${atom})*$`, 'u');

/** Accepts international domain names. The top-level domain has letters only, or is in punycode. */
const emailAddress = (fault: string) =>
  z.transform((email: string, { issues }) => {
    const [local = '', domain = '', ...rest] = email.split('@');
    const read = readDomainName(domain);
    const isLocal =
      rest.length === 0 &&
      localPattern.test(local) &&
      new TextEncoder().encode(local).length <= maximumLocalOctets;
    const hasLetters = /\.([a-z]{2,}|xn--[a-z\d-]+)$/.test(read.domain?.punycode ?? '');
    if (isLocal && hasLetters) return email;
    const suggestion = isLocal && !read.domain && nameOpenedFor(domain);
    const hint = suggestion
      ? ` Did you mean ${JSON.stringify(`${local}@${suggestion.name}`)}?`
      : '';
    const cause = unseenIn(email);
    const params = cause
      ? { brief: fault, detail: `It ${cause}.${hint}` }
      : { detail: `Expected: ${emailForm}.${hint}` };
    const message = cause ? `${fault}: ${cause}` : fault;
    issues.push({ code: 'custom', message, input: email, params });
    return z.NEVER;
  });
