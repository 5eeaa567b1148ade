import { refuseFaults } from "@postern/core/internal";
import { type HandlerContext, type JobOptions, Permanent } from "@postern/jobs";
import { jobSettings } from "@postern/jobs/internal";
import type { InboxEvent, InboxHandler } from "./handler.ts";
import { handlerFaults } from "./handler-faults.ts";
import { checkPayload, type PayloadSchema } from "./payload-schema.ts";

/** The options of any job (the default time-out is five minutes), and some for events. */
export interface OnOptions<Data = unknown> extends JobOptions, Pick<InboxHandler, "integers" | "orderKey" | "where"> {
  /**
   * The schema of `event.data`: a zod schema (or any Standard Schema) or a JSON Schema. It gives
   * `event.data` its type. An event that does not fit is quarantined when it arrives.
   */
  readonly schema?: PayloadSchema<Data>;
  /**
   * Unique and stable: after a restart, waiting jobs find their handler by it. Default:
   * `<provider>:<type>`.
   */
  readonly name?: string;
}

/**
 * Handles the events of a provider (`*` for all) whose type matches a pattern (`invoice.*`; `*` for
 * all).
 *
 *     on("stripe", "invoice.paid", async (event, context) => { … })
 *
 * Each event becomes a job. If your function throws, the job runs again later, by `retry`. It may
 * also run twice after a crash, so put effects on the database into `context.commit`.
 *
 * @throws DeclarationError for an invalid name, option or function, or a JSON Schema that cannot be
 *   used.
 */
export const on = <Data = unknown>(
  provider: string,
  type: string,
  handle: (event: InboxEvent<Data>, context: HandlerContext) => Promise<unknown>,
  { name = `${provider}:${type}`, ...options }: OnOptions<Data> = {},
): InboxHandler => {
  const { schema } = options;
  const settings = { ...options, ...jobSettings(name, options), provider, type };
  refuseFaults(handlerFaults({ ...settings, handle }));
  return { ...settings, handle: async (event, context) => handle(await typed(event, schema), context) };
};

/**
 * The event with its data as the schema returns it. It fitted when it arrived; the schema may
 * have changed since.
 */
const typed = async <Data>(event: InboxEvent, schema: PayloadSchema<Data> | undefined): Promise<InboxEvent<Data>> => {
  // Without a schema, you state the type yourself.
  if (schema === undefined) return event as InboxEvent<Data>;
  const checked = await checkPayload(schema, event.data);
  if ("fault" in checked) throw new Permanent(`the data does not fit the handler's schema: ${checked.fault}`);
  return { ...event, data: checked.value };
};
