import * as z from 'zod/mini';
import { nameFaults, nameOpenedFor, readDomainName } from './domain-name.ts';
import { textField, unseenIn } from './field.ts';

/** RFC 5321, section 4.5.3.1.1. */
const maximumLocalOctets = 64;
const emailForm = `at most ${maximumLocalOctets} bytes (letters of any script, RFC 6531), \`@\`, and a domain name, which may be international`;

export const emailField = (message: string) =>
  z.pipe(textField(message, 255, undefined, emailForm), emailAddress(message));

/** Letters, marks and digits of any script, except those that Unicode lets fonts omit. */
const letter = '(?!\\p{Default_Ignorable_Code_Point})[\\p{L}\\p{M}\\p{N}]';

/** The characters of RFC 5321's atoms, with RFC 6531's letters of every script. Quoted strings are refused. */
const atom = new RegExp(`${letter}|[!#$%&'*+\\-/=?^_\`{|}~]`, 'gu');

/** Accepts international domain names. The top-level domain has letters only, or is in punycode. */
const emailAddress = (fault: string) =>
  z.transform((email: string, { issues }) => {
    const unseen = unseenIn(email);
    const cause = unseen ?? faultOf(email);
    if (!cause) return email;
    const [local = '', domain = ''] = email.split('@');
    const suggestion =
      !localFault(local) && !readDomainName(domain).domain && nameOpenedFor(domain);
    const hint = suggestion
      ? ` Did you mean ${JSON.stringify(`${local}@${suggestion.name}`)}?`
      : '';
    const detail = `Expected: ${emailForm}. It ${cause}.${hint}`;
    const params = { brief: fault, detail: unseen ? `It ${cause}.${hint}` : detail };
    issues.push({ code: 'custom', message: `${fault}: ${cause}`, input: email, params });
    return z.NEVER;
  });

/** Why the text is no address, in words that follow a name. */
function faultOf(email: string): string | undefined {
  const [local = '', domain, ...rest] = email.split('@');
  if (domain === undefined) return 'has no @';
  if (rest.length > 0) return 'has more than one @';
  return localFault(local) ?? domainFault(domain);
}

function localFault(local: string): string | undefined {
  if (local === '') return 'has nothing before the @';
  if (/^\.|\.\.|\.$/.test(local)) return 'has a dot too many before the @';
  const [character] = local.replace(atom, '').replaceAll('.', '');
  if (character === ' ') return 'has a blank before the @';
  if (character) return `has ${character} before the @, which is not allowed`;
  return new TextEncoder().encode(local).length > maximumLocalOctets
    ? `has more than ${maximumLocalOctets} bytes before the @`
    : undefined;
}

function domainFault(domain: string): string | undefined {
  if (domain === '') return 'has no domain after the @';
  if (/^\[.*\]$|^\d+(\.\d+){3}$|:/.test(domain))
    return 'has an IP address in place of a domain name';
  const read = readDomainName(domain);
  if (!read.domain) return `has a domain that ${nameFaults[read.fault]}`;
  return /\.([a-z]{2,}|xn--[a-z\d-]+)$/.test(read.domain.punycode)
    ? undefined
    : 'has a top-level domain with a digit, a hyphen or one letter';
}
