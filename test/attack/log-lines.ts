import * as z from 'zod';
import { loginRefusals } from '../../src/base/error.ts';
import { app } from '../../src/worker/http/app.ts';
import type { World } from './world.ts';

const uuid = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const count = z.int().min(0);

/** Patterns of the URL map, and nothing that a client has put into a path. */
const routes = app.routes.map(({ path }) => path.replace(/(?<=.)\/$/, ''));

/** All that a line says of what was asked and answered. */
const answer = z.strictObject({
  level: z.literal('info'),
  event: z.literal('request'),
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']),
  route: z.enum(routes),
  status: z.int().min(200).max(499),
  duration_ms: count,
  registrar: z
    .string()
    .regex(/^REG\d+$/)
    .nullable(),
  system: z
    .string()
    .regex(/^system\d+$/)
    .nullable(),
  d1: count,
  kv: count,
});

/** A line is about one request, or about the answers from memory that were counted. */
const requestLine = z.union([
  answer.extend({ request_id: uuid, refusal: z.enum(loginRefusals).nullable().optional() }),
  answer.extend({ count: z.int().min(1) }),
]);

/** Values that the generated requests send: identity codes, names, addresses, an auth_info, a reference of the client's. */
const sentTexts = [
  '38001085718',
  '49403136526',
  '1990-05-05',
  'Maasikas',
  'Ämblik',
  '王小明',
  'Kati',
  '@example',
  '5123456',
  'sesame',
  'ref-1',
  'Basic ',
  'Bearer ',
  'eyJ',
];

/** The problem of the log, if there is one: a line that tells more than a line may, or of anybody's data. */
export function logProblem(lines: readonly string[], world: World): string | undefined {
  const told = lines.join('\n');
  const texts = [
    ...sentTexts,
    ...world.secrets,
    ...world.markers.map(({ text }) => text),
    ...world.codes,
    ...world.uuids,
    ...world.auctionUuids,
    world.registrationCode,
  ];
  const found = texts.find((text) => told.includes(text));
  if (found !== undefined) return `the log has ${found}`;
  for (const line of lines) {
    const result = requestLine.safeParse(JSON.parse(line));
    if (!result.success) return `${line}: ${z.prettifyError(result.error)}`;
  }
  return undefined;
}
