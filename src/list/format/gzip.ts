import { constants, crc32, deflateRawSync, gunzipSync, gzipSync, inflateRawSync } from 'node:zlib';
import { joinBytes } from '../../base/bytes/encoding.ts';

/**
 * A part of a gzip member (RFC 1952), compressed on its own. A full flush ends it, so pieces can be joined as they are.
 */
interface Piece {
  data: Uint8Array<ArrayBuffer>;
  sum: Sum;
}

export interface Sum {
  crc: number;
  length: number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Without a name or a time, for an unknown system. */
export const gzipHeader = new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

/** Goes between pieces: an uncompressed deflate block of one byte. */
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

/** `before` is the sum of all the text before it. */
export function gzipEnd(text: string, before: Sum): Uint8Array<ArrayBuffer> {
  const bytes = encoder.encode(text);
  const { crc, length } = joinSums(before, { crc: crc32(bytes), length: bytes.length });
  const trailer = new DataView(new ArrayBuffer(8));
  trailer.setUint32(0, crc, true);
  trailer.setUint32(4, length % 2 ** 32, true);
  return joinBytes([deflateRawSync(bytes), new Uint8Array(trailer.buffer)]);
}

export function compressJson(value: unknown): Uint8Array<ArrayBuffer> {
  return new Uint8Array(gzipSync(encoder.encode(JSON.stringify(value))));
}

export function decompressJson<Value>(bytes: ArrayBuffer): Value {
  return JSON.parse(decoder.decode(gunzipSync(new Uint8Array(bytes))));
}

/** The sum of two texts joined. CRC-32 is linear, so the texts themselves are not needed (zlib's crc32_combine). */
export function joinSums(first: Sum, second: Sum): Sum {
  const shifted = multiply(powerOfX(8 * second.length), first.crc);
  return { crc: (shifted ^ second.crc) >>> 0, length: first.length + second.length };
}

/** CRC-32's polynomial. In this and the numbers below, the highest bit is the coefficient of x to the power of 0. */
const polynomial = 0xedb88320;
const unit = 0x80000000;

function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = unit, shifted = b; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= shifted;
    shifted = (shifted & 1) === 0 ? shifted >>> 1 : (shifted >>> 1) ^ polynomial;
  }
  return product >>> 0;
}

function powerOfX(exponent: number): number {
  let power = unit;
  let square = unit >>> 1;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) power = multiply(square, power);
    square = multiply(square, square);
  }
  return power;
}
