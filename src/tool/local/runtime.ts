import { createRequire } from 'node:module';
import path from 'node:path';
import { projectDirectory } from '../project.ts';

/** Has miniflare start workerd by a script that ends it with this process, even a killed one. */
export function endRuntimesWithProcess(): void {
  const { env } = process;
  const workerd = () => createRequire(import.meta.url)('workerd').default;
  // A child of this process gets both.
  env.REGISTRY_WORKERD ??= env.MINIFLARE_WORKERD_PATH ?? workerd();
  env.MINIFLARE_WORKERD_PATH = path.join(projectDirectory, 'src/tool/local/workerd.sh');
}
