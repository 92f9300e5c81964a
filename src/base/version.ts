/** package.json names the release too: importing that would bundle all of it. A test compares the two. */
export const version = '1.0.0';
