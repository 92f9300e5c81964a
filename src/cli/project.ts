import path from 'node:path';

/** Where the repository is, wherever the command was called from. */
export const projectDirectory = path.resolve(import.meta.dirname, '../..');
export const configPath = path.join(projectDirectory, 'wrangler.toml');
