import { expect, it } from 'vitest';
import { unstable_readConfig } from 'wrangler';

it.each(['production', 'staging'])(
  'deploys %s without traces and without a line for each invocation, which have codes and names in their URLs',
  (env) => {
    const { observability } = unstable_readConfig({ config: 'wrangler.toml', env });
    expect(observability).toEqual({
      enabled: true,
      redact_query_string: true,
      logs: { invocation_logs: false },
      traces: { enabled: false },
    });
  },
);
