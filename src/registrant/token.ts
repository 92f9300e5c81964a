import { errors, type JWTHeaderParameters, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { LoginError, type LoginRefusal } from '../error.ts';

/** The person behind a bearer token. */
export interface Person {
  /** ISO 3166-1 alpha-2, upper case. */
  countryCode: string;
  /** National identity code. */
  code: string;
  firstName: string;
  lastName: string;
}

/** A signing key. A token names the key that signed it. */
export interface TokenKey {
  id: string;
  secret: Uint8Array;
}

const algorithm = 'HS256';
const issuer = 'registry-edge';
const audience = 'registrant';
const tokenLifetimeSeconds = 2 * 60 * 60;

/** A token (JWT, RFC 7519) for a person whom the caller has authenticated, signed with the first key. */
export async function issueToken(
  [key]: readonly [TokenKey, ...TokenKey[]],
  person: Person,
  now: Date,
): Promise<{ token: string; expiresAt: Date }> {
  const issuedAtSeconds = Math.floor(now.getTime() / 1000);
  const expiresAtSeconds = issuedAtSeconds + tokenLifetimeSeconds;
  const token = await new SignJWT({
    country_code: person.countryCode,
    first_name: person.firstName,
    last_name: person.lastName,
  })
    .setProtectedHeader({ alg: algorithm, kid: key.id, typ: 'JWT' })
    .setSubject(person.code)
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt(issuedAtSeconds)
    .setNotBefore(issuedAtSeconds)
    .setExpirationTime(expiresAtSeconds)
    .sign(key.secret);
  return { token, expiresAt: new Date(expiresAtSeconds * 1000) };
}

/** The token was genuine, and its time is over. */
export class ExpiredTokenError extends LoginError {
  readonly person: Person;

  constructor(person: Person) {
    super('expired token', message);
    this.person = person;
  }
}

/**
 * The person that a token stands for. Throws `unauthorized` if the token is malformed, forged, expired, not yet valid,
 * issued for another purpose, or signed with a key that is not, or no longer, in the list: an ExpiredTokenError if
 * nothing else is wrong with it.
 */
export async function verifyToken(
  keys: readonly TokenKey[],
  token: string,
  now: Date,
): Promise<Person> {
  const secretOf = ({ kid }: JWTHeaderParameters) => {
    const key = keys.find(({ id }) => id === kid);
    if (!key) throw refused('unknown key');
    return key.secret;
  };
  try {
    const { payload } = await jwtVerify(token, secretOf, {
      algorithms: [algorithm],
      issuer,
      audience,
      currentDate: now,
      requiredClaims: ['sub', 'country_code', 'first_name', 'last_name', 'exp', 'iat', 'nbf'],
    });
    return personOf(payload);
  } catch (error) {
    // Thrown after the signature and all other claims were found right.
    if (error instanceof errors.JWTExpired) throw new ExpiredTokenError(personOf(error.payload));
    if (error instanceof errors.JOSEError || error instanceof TypeError) {
      throw refused(refusalOfToken(error));
    }
    throw error;
  }
}

function personOf(payload: JWTPayload): Person {
  return {
    countryCode: String(payload.country_code),
    code: String(payload.sub),
    firstName: String(payload.first_name),
    lastName: String(payload.last_name),
  };
}

const message = 'Not authorized';

function refused(refusal: LoginRefusal): LoginError {
  return new LoginError(refusal, message);
}

function refusalOfToken(error: Error): LoginRefusal {
  if (error instanceof errors.JWTClaimValidationFailed) return 'wrong claims';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'wrong signature';
  return 'malformed token';
}
