import { sign } from "@postern/webhook-verifier";
import { standardWebhooks } from "@postern/webhook-verifier/schemes/standard-webhooks";
import { defaultRetryPolicy, type RetryPolicy } from "../jobs/retry-policy.ts";
import type { Clock } from "../ports/clock.ts";
import type { Fetcher } from "../ports/fetcher.ts";
import { type InboxHandler, Permanent, RetryAt } from "./handler.ts";

export interface ForwardRoute {
  readonly provider: string;
  readonly type: string;
  /** Where to send it: absolute http or https URL. */
  readonly url: string;
  /** The key it is signed with, `whsec_…` (Standard Webhooks). */
  readonly secret: string;
  /** Told apart from another route to the same URL; the URL's host and path unless given. */
  readonly name?: string;
  readonly retry?: RetryPolicy;
}

const timeoutMs = 15_000;

/**
 * Sends each event on to a URL of your own, signed anew as Standard Webhooks: `webhook-id` is our event's id, the same for every try, so that the
 * receiver can drop repeats. The body goes out byte for byte. 2xx is success; 410 ends it for good; `Retry-After` is honoured with 429 and 503;
 * anything else is tried again by the retry policy.
 */
export const forwardHandler = (
  { fetcher, clock }: { readonly fetcher: Fetcher; readonly clock: Clock },
  route: ForwardRoute,
): InboxHandler => ({
  name: `forward:${route.name ?? route.url.replace(/^https?:\/\//, "").replace(/[?#].*$/, "")}`.slice(0, 128),
  provider: route.provider,
  type: route.type,
  retry: route.retry ?? defaultRetryPolicy,
  timeoutMs: timeoutMs + 5_000,
  handle: async (event, context) => {
    const signed = await sign(standardWebhooks, {
      keys: route.secret,
      body: event.body,
      id: `${event.provider}-${event.id}`,
      timestamp: clock.now(),
    });
    const answer = await fetcher.fetch({
      url: route.url,
      method: "POST",
      headers: {
        ...signed,
        "content-type": event.headers["content-type"] ?? "application/json",
        "postern-provider": event.provider,
        ...(event.type === undefined ? {} : { "postern-event-type": event.type }),
      },
      body: event.body,
      timeoutMs,
      signal: context.signal,
    });
    if (answer.status >= 200 && answer.status < 300) return;
    const said = `the target answered ${answer.status}`;
    if (answer.status === 410) throw new Permanent(said);
    const wait =
      answer.status === 429 || answer.status === 503 ? retryAfterMs(answer.headers["retry-after"], clock) : undefined;
    throw wait === undefined ? new Error(said) : new RetryAt(clock.now() + wait, said);
  },
});

const maxWaitMs = 24 * 3600 * 1000;

/** RFC 9110, section 10.2.3: seconds or a date; a day at the most. */
const retryAfterMs = (value: string | undefined, clock: Clock): number | undefined => {
  if (value === undefined) return undefined;
  const wait = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - clock.now();
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), maxWaitMs);
};
