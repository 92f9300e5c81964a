import { stripVTControlCharacters, styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];
type Fields = Record<string, unknown>;

export interface LogOptions {
  /** The time of a line; the Worker's lines have none. */
  now: () => Date;
  /** Styles the text if the output has colours. */
  paint: (style: Style, text: string) => string;
}

/** Styles text on a terminal; elsewhere, and if NO_COLOR is set, the text stays plain. */
export const paintFor =
  (stream: NodeJS.WriteStream): LogOptions['paint'] =>
  (style, text) =>
    styleText(style, text, { stream });

/** The JSON of a line of the Worker's log, without the label that wrangler puts before errors and warnings. */
export function logEntry(line: string): string | undefined {
  return /^(?:\S+ \[(?:ERROR|WARNING)\] )?(\{"level":.*\})\s*$/.exec(
    stripVTControlCharacters(line),
  )?.[1];
}

/** `[wrangler:info] GET /docs/ 200 OK (3ms)`, `[wrangler:info] QUEUE registry-edge-webhooks 1/1 (3ms)` */
const notLoggedByWorker =
  /^\[wrangler:info\] (?<method>[A-Z]+) (?<route>\/(?:docs|assets|openapi\.json)(?![\w-])\S*|(?!\/)\S+) (?<status>[\d/]+).* \((?<duration_ms>\d+)ms\)/;

/**
 * The form for people of a line that `wrangler dev` prints: an entry of the Worker's log, or wrangler's own line about a
 * static file or the queue, which the Worker does not log. Undefined for any other line.
 */
export function readableLine(line: string, { now, paint }: LogOptions): string | undefined {
  const entry = logEntry(line);
  const fields: Fields | undefined = entry
    ? JSON.parse(entry)
    : notLoggedByWorker.exec(stripVTControlCharacters(line))?.groups;
  if (!fields) return undefined;
  const isRequest = fields.method !== undefined;
  const text = isRequest ? requestText(fields, paint) : eventText(fields, paint);
  return `${paint('dim', now().toTimeString().slice(0, 8))} ${text}`;
}

function requestText(fields: Fields, paint: LogOptions['paint']): string {
  const { method, route, status, duration_ms, registrar, system, refusal, d1, kv } = fields;
  const counts = [registrar, system, refusal, d1 && `d1 ${d1}`, kv && `kv ${kv}`].filter(Boolean);
  const called = `${String(method).padEnd(7)} ${String(route).padEnd(34)}`;
  const answered = paint(styleOf(String(status)), String(status));
  const text = `${called} ${answered} ${`${duration_ms} ms`.padStart(7)}`;
  return counts.length === 0 ? text : `${text} ${paint('dim', counts.join(', '))}`;
}

/** The colour of an HTTP status or a queue result, such as `5/5`. */
function styleOf(status: string): Style {
  if (/^(2\d\d|(\d+)\/\2)$/.test(status)) return 'green';
  if (status.startsWith('3')) return 'cyan';
  return status.startsWith('5') ? 'red' : 'yellow';
}

function eventText({ level, event, ...details }: Fields, paint: LogOptions['paint']): string {
  const style = level === 'error' ? 'red' : level === 'warn' ? 'yellow' : 'cyan';
  const head = paint(style, String(level).padEnd(7));
  if (event === 'unexpected') {
    const [, frames = ''] = /((?:\n\s+at .*)+)/.exec(String(details.stack)) ?? [];
    return `${head} ${details.name}: ${details.message}${paint('dim', frames)}`;
  }
  const texts = Object.entries(details).map(
    ([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const what = String(event).replaceAll('_', ' ');
  return `${head} ${what}${texts.length === 0 ? '' : `: ${texts.join(', ')}`}`;
}
