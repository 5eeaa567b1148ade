import { defaultRetryPolicy, type RetryPolicy } from "../jobs/retry-policy.ts";
import type { InboxHandler } from "./handler.ts";

export interface OnOptions {
  /** Unique and stable: waiting jobs are found by it after a restart. `<provider>:<type>` unless given. */
  readonly name?: string;
  readonly retry?: RetryPolicy;
  /** Five minutes unless given. */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 5 * 60_000;

/**
 * A handler for the events of a provider (`*` for all) whose type matches the pattern (`invoice.*`; `*` for all).
 *
 *     on("stripe", "invoice.paid", async (event, context) => { … })
 *
 * @throws TypeError for a name that is not 1 to 128 ASCII characters.
 */
export const on = (
  provider: string,
  type: string,
  handle: InboxHandler["handle"],
  options: OnOptions = {},
): InboxHandler => {
  const name = options.name ?? `${provider}:${type}`;
  if (!/^[\x21-\x7e]{1,128}$/.test(name)) {
    throw new TypeError(`handler "${name}": a name is 1 to 128 ASCII characters without spaces`);
  }
  return {
    name,
    provider,
    type,
    retry: options.retry ?? defaultRetryPolicy,
    timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
    handle,
  };
};
