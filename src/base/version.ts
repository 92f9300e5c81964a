/** Importing package.json would bundle all of it. A test compares the two. */
export const version = '1.1.0';

/** A database without it is older than this build. A test compares it with the directory. */
export const newestMigration = '0040_claims_without_value.sql';
