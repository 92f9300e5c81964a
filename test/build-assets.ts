import { execFileSync } from 'node:child_process';

/** Builds the static files once, before the runtimes of all tests start. */
export default function buildAssets(): void {
  delete process.env.ASSETS_ARE_BUILT;
  execFileSync(process.execPath, ['src/cli/build-assets.ts'], { stdio: 'inherit' });
}
