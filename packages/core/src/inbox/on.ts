import { type HandlerContext, Permanent } from "../jobs/handler-context.ts";
import { type JobOptions, jobSettings } from "../jobs/job-handler.ts";
import type { InboxEvent, InboxHandler } from "./handler.ts";
import { checkPayload, compileSchema, type PayloadSchema } from "./payload-schema.ts";

/** As for any job; five minutes' time unless given. */
export interface OnOptions<Data = unknown> extends JobOptions, Pick<InboxHandler, "orderKey"> {
  /**
   * What the payload must look like: a zod schema (or any Standard Schema) or a JSON Schema. It gives `event.data` its type; an event that does not
   * fit is quarantined when it comes in.
   */
  readonly schema?: PayloadSchema<Data>;
  /** Unique and stable: waiting jobs are found by it after a restart. `<provider>:<type>` unless given. */
  readonly name?: string;
}

/**
 * A handler for the events of a provider (`*` for all) whose type matches the pattern (`invoice.*`; `*` for all).
 *
 *     on("stripe", "invoice.paid", async (event, context) => { … })
 *
 * @throws TypeError for a name or a queue that cannot be stored, or a JSON Schema that cannot be used.
 */
export const on = <Data = unknown>(
  provider: string,
  type: string,
  handle: (event: InboxEvent<Data>, context: HandlerContext) => Promise<void>,
  { name = `${provider}:${type}`, ...options }: OnOptions<Data> = {},
): InboxHandler => {
  const { schema } = options;
  if (schema !== undefined) compileSchema(schema);
  return {
    ...options,
    ...jobSettings(name, options),
    provider,
    type,
    handle: async (event, context) => handle(await typed(event, schema), context),
  };
};

/** The event with its payload as the schema gives it back. It fitted when it came in; the schema may have changed since. */
const typed = async <Data>(event: InboxEvent, schema: PayloadSchema<Data> | undefined): Promise<InboxEvent<Data>> => {
  // Without a schema the type is what the handler's author says.
  if (schema === undefined) return event as InboxEvent<Data>;
  const checked = await checkPayload(schema, event.data);
  if ("fault" in checked) throw new Permanent(`the payload does not fit the handler's schema: ${checked.fault}`);
  return { ...event, data: checked.value };
};
