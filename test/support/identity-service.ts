import type { IncomingMessage, ServerResponse } from 'node:http';
import { startIdentityService as startService } from '../../src/dev/sandbox/identity-service.ts';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** Answers that the service has a proof of identity. */
export const pdf: Answer = (response) => {
  response.writeHead(200, { 'Content-Type': 'application/pdf' }).end('%PDF-1.4\n%%EOF\n');
};

/** The sandbox's stand-in for the identity service, which tests make fail. */
export async function startIdentityService() {
  let registry = '';
  let faults: [path: RegExp, answer: Answer][] = [];
  const asked: string[] = [];
  const settings = await startService(
    () => registry,
    (request, response) => {
      const call = `${request.method} ${request.url}`;
      asked.push(call);
      const [, answer] = faults.find(([path]) => path.test(call)) ?? [];
      answer?.(response, request);
      return answer !== undefined;
    },
  );
  return {
    settings,
    /** The registry that is called back. */
    serves(url: URL) {
      registry = url.origin;
    },
    /** Answers calls (`GET /path`) that fit otherwise, while the work lasts. */
    async failing<Result>(call: RegExp, answer: Answer, work: () => Promise<Result>) {
      faults = [[call, answer]];
      return work().finally(() => {
        faults = [];
      });
    },
    /** The calls that the work makes. */
    async askedDuring(work: () => Promise<unknown>): Promise<string[]> {
      const before = asked.length;
      await work();
      return asked.slice(before);
    },
  };
}

export type IdentityServiceStandIn = Awaited<ReturnType<typeof startIdentityService>>;

let shared: Promise<IdentityServiceStandIn> | undefined;

/** The stand-in that the shared runtime asks. */
export function sharedIdentityService(): Promise<IdentityServiceStandIn> {
  shared ??= startIdentityService();
  return shared;
}
