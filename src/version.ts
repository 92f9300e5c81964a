/**
 * The release, which package.json names too: importing that would bundle all of it, and Node imports no part of a JSON
 * file. A test compares the two.
 */
export const version = '1.0.0';
