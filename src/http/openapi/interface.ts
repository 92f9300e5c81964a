import type * as z from 'zod';
import type { oas31 } from 'zod-openapi';
import type { Reason } from '../../error.ts';
import type { HeaderName } from './headers.ts';

/** Common to the calls of an interface. */
export interface Interface {
  /** The beginning of the names of its components. */
  name: string;
  tag: string;
  security: oas31.SecurityRequirementObject[];
  /** The reasons for which each of its calls may be refused, besides those of every interface. */
  refusals: readonly Reason[];
  /** The body of a refusal. */
  errorOf: (status: number) => z.ZodType;
  /** The text about a reason; its case unless given. */
  show?: (reason: Reason) => string;
  /** Of every answer; those that are parameters too are taken by every call. */
  headers: readonly HeaderName[];
}
