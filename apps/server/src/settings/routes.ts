import { option, wholeNumber } from "@postern/core/internal";
import type { ForwardRoute, PayloadFilter } from "@postern/inbox";
import type { RetryPolicy } from "@postern/jobs";
import { keyTexts } from "./senders.ts";
import { faultsIn, flag, needed, numbered, ruled, text, type Written } from "./setting.ts";

/** The target of a forward. */
export type ForwardTarget = Pick<ForwardRoute, "url" | "secret" | "timeoutMs" | "allowPrivate" | "query">;

/** Complete by the type of a target, which has their docstrings. */
const targetSettings = {
  url: needed(text({})),
  secret: needed(ruled<ForwardTarget["secret"]>(keyTexts)({})),
  timeoutMs: numbered(wholeNumber(0))({}),
  allowPrivate: flag({}),
  query: flag({}),
} satisfies Readonly<Record<keyof ForwardTarget, object>>;

/** The settings of one route. */
export const routeSettings = {
  /** A provider's name. Default `*`: every provider. */
  provider: text({}),
  /** An event type; `*` stands for any run of characters. Default `*`. */
  type: text({}),
  /**
   * Only events with these values, by dotted path into their data (`"object.status": "paid"`), or
   * with `$.` in front into their payload (`"$.livemode": true`). With a list, any of its values
   * fits.
   */
  where: ruled<PayloadFilter>(option.anObject)({}),
  /**
   * `log` writes a line for each event. Otherwise the event is forwarded, signed as Standard
   * Webhooks.
   */
  to: needed({
    ...ruled<"log" | ForwardTarget>({
      is: (value) => value === "log" || option.anObject.is(value),
      says: '"log" or { url: "https://…", secret: "whsec_…" }',
    })({}),
    inside: (place: string, value: unknown) => (value === "log" ? [] : faultsIn(place, value, targetSettings)),
  }),
  /** Distinguishes two routes to the same URL. */
  name: text({}),
  retry: ruled<RetryPolicy>(option.anObject)({}),
  /**
   * The queue of the route's jobs. A slow target with a queue of its own, with limits in `queues`,
   * does not take the slots of others. Default: `default`.
   */
  queue: text({}),
};

/** What happens with events, without writing code. */
export interface RouteDeclaration extends Written<typeof routeSettings> {}
