import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

// For each module of a package Node reads the package's package.json, to learn the module's format. Drizzle's has 180 KB,
// and there are a hundred modules: 0.4 seconds. All of its .js files are ES modules (Node 24.21, Drizzle 0.45).

const isDrizzle = (url: string | undefined) => url?.includes('/node_modules/drizzle-orm/');

registerHooks({
  resolve(specifier, context, next) {
    if (!specifier.startsWith('.') || !isDrizzle(context.parentURL))
      return next(specifier, context);
    const { href } = new URL(specifier, context.parentURL);
    return { url: href, format: 'module', shortCircuit: true };
  },
  load(url, context, next) {
    if (!isDrizzle(url) || !url.endsWith('.js')) return next(url, context);
    return { source: readFileSync(fileURLToPath(url)), format: 'module', shortCircuit: true };
  },
});
