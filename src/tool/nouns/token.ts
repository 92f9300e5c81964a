import { InvalidArgumentError } from '@commander-js/extra-typings';
import { RegistryError } from '../../base/error.ts';
import { identityProblem } from '../../contact/identity.ts';
import { contactRules } from '../../contact/rules.ts';
import { issueToken } from '../../party/registrant/token.ts';
import { settings } from '../../worker/settings.ts';
import { noun, reading } from '../command.ts';
import { verb } from '../run.ts';

const issue = verb(
  reading('issue', 'token issue --ident EE38001085718 --name "Jaan Tamm"')
    .description("Issue a registrant's token, valid for two hours")
    .addHelpText('after', '\nWith --remote, it takes REGISTRANT_TOKEN_KEYS from the environment.')
    .requiredOption('--ident <code>', 'country and personal code', parseIdent)
    .requiredOption('--name <name>', 'first name and last name', parseName),
  async ({ env, origin: { request } }, { ident, name }) => {
    const { code, countryCode: identCountryCode } = ident;
    const identity = { ident: code, identType: 'priv', identCountryCode };
    const problem = identityProblem(identity, request.at);
    if (problem) throw new RegistryError([problem]);
    const keys = settings(env).REGISTRANT_TOKEN_KEYS;
    const { token, expiresAt } = await issueToken(keys, { ...ident, ...name }, request.at);
    const expires_at = expiresAt.toISOString();
    const data = { access_token: token, expires_at, type: 'Bearer' };
    return { data, text: `${token}\nvalid until ${expires_at}` };
  },
);

export const tokenCommand = noun('token', "Registrants' tokens, for support and tests", [issue]);

function parseIdent(text: string) {
  const country = contactRules.identCountryCode().safeParse(text.slice(0, 2));
  const code = text.slice(2);
  if (country.success && code !== '') return { countryCode: country.data, code };
  const message = 'It must be a country code and a personal code, for example EE38001085718.';
  throw new InvalidArgumentError(message);
}

/** The last word is the last name. */
function parseName(text: string) {
  const words = text.trim().split(/\s+/);
  const lastName = words.pop();
  if (!lastName || words.length === 0) {
    throw new InvalidArgumentError('It must be a first name and a last name.');
  }
  return { firstName: words.join(' '), lastName };
}
