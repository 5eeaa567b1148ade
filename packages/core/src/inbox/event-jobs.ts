import { jobOf } from "../jobs/job-handler.ts";
import type { NewJob } from "../ports/job.ts";
import type { Telemetry } from "../ports/telemetry.ts";
import { utf8Encode } from "../runtime.ts";
import { withIntegers } from "./exact-json.ts";
import type { InboxHandler, OrderedBy } from "./handler.ts";

const maxKeyBytes = 191;

const withIntegersOf = (event: OrderedBy, integers: InboxHandler["integers"]): OrderedBy =>
  integers === undefined || integers === "bigint"
    ? event
    : { ...event, data: withIntegers(event.data, integers), payload: withIntegers(event.payload, integers) };

/** One job for each handler that wants the event. */
export const eventJobs = (
  telemetry: Pick<Telemetry, "log">,
  takers: readonly InboxHandler[],
  event: OrderedBy,
): readonly NewJob[] => {
  const jobs: NewJob[] = [];
  for (const handler of takers) {
    const orderKey = handler.orderKey === undefined ? undefined : orderKeyOf(telemetry, handler, event);
    jobs.push(orderKey === undefined ? jobOf(handler) : { ...jobOf(handler), orderKey });
  }
  return jobs;
};

const orderKeyOf = (
  telemetry: Pick<Telemetry, "log">,
  { name, orderKey, integers }: InboxHandler,
  event: OrderedBy,
): string | undefined => {
  try {
    const key = orderKey?.(withIntegersOf(event, integers));
    if (key === undefined || (key !== "" && utf8Encode(key).length <= maxKeyBytes)) return key;
    throw new TypeError(`an order key has 1 to ${maxKeyBytes} bytes`);
  } catch (thrown) {
    // The event is authentic. Running it out of order is better than refusing it for good.
    telemetry.log("error", "no order key could be made; the job runs in no order", { handler: name }, thrown);
    return undefined;
  }
};
