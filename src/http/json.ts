import { RegistryError } from '../error.ts';

/** Throws a TypeError for bytes that are not UTF-8. */
export const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** The JSON object that the bytes are. Throws `malformed` with what is wrong with them, and without a word of them. */
export function parseJsonObject(bytes: ArrayBuffer): Record<string, unknown> {
  if (bytes.byteLength === 0) throw malformed('The body is empty; a JSON object is expected.');
  const value = parseJson(decode(bytes));
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  const kind = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
  throw malformed(`The body is ${kind}; a JSON object is expected.`);
}

export function malformed(detail: string): RegistryError {
  const message = 'Request body is not a JSON object';
  return new RegistryError([{ reason: 'malformed', message, detail }]);
}

function decode(bytes: ArrayBuffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed('The body is not UTF-8.');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Some of the engine's messages end with a quotation of the text.
    const reason = (error as Error).message.replace(/, ".*/s, '').replace(/, \.\.\.".*/s, '');
    throw malformed(`The body is not JSON: ${reason}.`);
  }
}
