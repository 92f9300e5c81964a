import { stripVTControlCharacters, styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

export interface LogOptions {
  /** The time of a line; the Worker's lines have none. */
  now: () => Date;
  /** Styles the text if the output has colours. */
  paint: (style: Style, text: string) => string;
}

type Fields = Record<string, unknown>;

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

/**
 * The form for people of a line that `wrangler dev` prints: an entry of the Worker's log, or wrangler's own line about a
 * static file or the queue, which the Worker does not log. Undefined for any other line.
 */
export function readableLine(line: string, { now, paint }: LogOptions): string | undefined {
  const text = textOf(line, paint);
  return text && `${paint('dim', now().toTimeString().slice(0, 8))} ${text}`;
}

function textOf(line: string, paint: LogOptions['paint']): string | undefined {
  const entry = logEntry(line);
  if (entry !== undefined) {
    const fields: Fields = JSON.parse(entry);
    if (fields.event === 'request') return requestText(fields, paint);
    return fields.event === 'unexpected' ? errorText(fields, paint) : eventText(fields, paint);
  }
  const [, method, route, status, milliseconds] =
    notLoggedByWorker.exec(stripVTControlCharacters(line)) ?? [];
  if (method === undefined) return undefined;
  return requestText({ method, route, status, duration_ms: milliseconds }, paint);
}

/** `[wrangler:info] GET /docs/ 200 OK (3ms)`, `[wrangler:info] QUEUE registry-edge-webhooks 1/1 (3ms)` */
const notLoggedByWorker =
  /^\[wrangler:info\] ([A-Z]+) (\/(?:docs|assets|openapi\.json)(?![\w-])\S*|(?!\/)\S+) ([\d/]+).* \((\d+)ms\)/;

function requestText(fields: Fields, paint: LogOptions['paint']): string {
  const { method, route, status, registrar, system, refusal, d1, kv } = fields;
  const counts = [registrar, system, refusal, d1 && `d1 ${d1}`, kv && `kv ${kv}`].filter(Boolean);
  const text = [
    String(method).padEnd(7),
    String(route).padEnd(34),
    paint(styleOf(String(status)), String(status)),
    `${fields.duration_ms} ms`.padStart(7),
    ...(counts.length === 0 ? [] : [paint('dim', counts.join(', '))]),
  ];
  return text.join(' ');
}

/** The colour of an HTTP status or a queue result, such as `5/5`. */
function styleOf(status: string): Style {
  if (/^(2\d\d|(\d+)\/\2)$/.test(status)) return 'green';
  if (status.startsWith('3')) return 'cyan';
  return status.startsWith('5') ? 'red' : 'yellow';
}

function errorText({ name, message, stack }: Fields, paint: LogOptions['paint']): string {
  const frames = String(stack ?? '')
    .split('\n')
    .filter((frame) => /^\s+at /.test(frame));
  return [
    `${paint('red', 'error  ')} ${name}: ${message}`,
    ...frames.map((frame) => paint('dim', frame)),
  ].join('\n');
}

function eventText({ level, event, ...details }: Fields, paint: LogOptions['paint']): string {
  const style = level === 'error' ? 'red' : level === 'warn' ? 'yellow' : 'cyan';
  const texts = Object.entries(details).map(
    ([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const head = `${paint(style, String(level).padEnd(7))} ${String(event).replaceAll('_', ' ')}`;
  return texts.length === 0 ? head : `${head}: ${texts.join(', ')}`;
}
