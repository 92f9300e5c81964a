import { constants, crc32, deflateRawSync, inflateRawSync } from 'node:zlib';

/**
 * Pieces of one gzip member (RFC 1952) that are compressed on their own: each ends with a full flush, so that pieces in
 * any number can be joined, byte by byte, without compressing them again.
 */
export interface Piece {
  data: Uint8Array<ArrayBuffer>;
  sum: Sum;
}

/** The CRC-32 of a text, and how many bytes it has. */
export interface Sum {
  crc: number;
  length: number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What a gzip file begins with: no name, no time, unknown system. */
export const gzipHeader = new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

/** A comma as a stored block of one byte, for between pieces. */
export const comma: Piece = {
  data: new Uint8Array([0, 1, 0, 0xfe, 0xff, 0x2c]),
  sum: { crc: crc32(','), length: 1 },
};

export function compressPiece(text: string): Piece {
  const bytes = encoder.encode(text);
  const data = new Uint8Array(deflateRawSync(bytes, { finishFlush: constants.Z_FULL_FLUSH }));
  return { data, sum: { crc: crc32(bytes), length: bytes.length } };
}

export function decompressPiece(data: Uint8Array): string {
  return decoder.decode(inflateRawSync(data, { finishFlush: constants.Z_SYNC_FLUSH }));
}

/** The last text of a gzip file, and its trailer: `before` is the sum of all that precedes it. */
export function gzipEnd(text: string, before: Sum): Uint8Array<ArrayBuffer> {
  const bytes = encoder.encode(text);
  const { crc, length } = joinSums(before, { crc: crc32(bytes), length: bytes.length });
  const trailer = new DataView(new ArrayBuffer(8));
  trailer.setUint32(0, crc, true);
  trailer.setUint32(4, length % 2 ** 32, true);
  return joinBytes([deflateRawSync(bytes), new Uint8Array(trailer.buffer)]);
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((total, { length }) => total + length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/** The sum of two texts, one after the other: CRC-32 is linear, so neither text is needed (zlib's crc32_combine). */
export function joinSums(first: Sum, second: Sum): Sum {
  const shifted = multiply(powerOfX(8 * second.length), first.crc);
  return { crc: (shifted ^ second.crc) >>> 0, length: first.length + second.length };
}

/** CRC-32's polynomial; as in all of these numbers, the highest bit is the coefficient of x to the power of 0. */
const polynomial = 0xedb88320;
const one = 0x80000000;

function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = one, shifted = b; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= shifted;
    shifted = (shifted & 1) === 0 ? shifted >>> 1 : (shifted >>> 1) ^ polynomial;
  }
  return product >>> 0;
}

function powerOfX(exponent: number): number {
  let power = one;
  let square = one >>> 1;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) power = multiply(square, power);
    square = multiply(square, square);
  }
  return power;
}
