import type { Resource, RowsOf, StandardSchema } from "@postern/core";
import { didYouMean, refuseFaults } from "@postern/core/internal";
import type { HandlerContext, ScheduleOptions, Slot } from "@postern/jobs";
import { defineJob, type JobHandler, type JobOptions, type Schedule, schedule } from "@postern/jobs";
import type { InboxEvent, InboxHandler } from "./handler.ts";
import { type OnOptions, on } from "./on.ts";
import type { PayloadSchema } from "./payload-schema.ts";

declare const data: unique symbol;

/** An event whose data the compiler knows, and nothing checks. */
interface TypedEvent<Data> {
  readonly [data]?: Data;
}

/** The events of one sender by type: the schema of their data, or only its type. */
type SenderEvents = Readonly<Record<string, PayloadSchema | TypedEvent<unknown>>>;

/**
 * The events of a sender whose types you state and nothing checks:
 * `eventTypes<{ "invoice.paid": { number: string } }>()`, or the types of the sender's own package.
 */
export const eventTypes = <Types extends object>(): {
  readonly [Type in keyof Types & string]: TypedEvent<Types[Type]>;
} =>
  // Only the compiler looks into it.
  ({}) as { readonly [Type in keyof Types & string]: TypedEvent<Types[Type]> };

type Events = Readonly<Record<string, SenderEvents>>;
type DataOf<One> = One extends StandardSchema<infer Data> ? Data : One extends TypedEvent<infer Data> ? Data : unknown;
type Handle<Data, Named> = (event: InboxEvent<Data>, context: HandlerContext<Named>) => Promise<unknown>;

/** Jobs and schedules whose `commit` gives typed rows. */
interface JobDeclarations<Named> {
  /** `defineJob`, with typed rows. */
  readonly defineJob: <Payload>(
    name: string,
    run: (payload: Payload, context: HandlerContext<Named>) => Promise<unknown>,
    options?: JobOptions,
  ) => JobHandler<Payload>;
  /** `schedule`, with typed rows. */
  readonly schedule: (
    name: string,
    cron: string,
    run: (payload: Slot, context: HandlerContext<Named>) => Promise<unknown>,
    options?: ScheduleOptions,
  ) => Schedule;
}

interface Declarations<Named> extends JobDeclarations<Named> {
  /** `on`, with typed rows. */
  readonly on: <Data = unknown>(
    provider: string,
    type: string,
    handle: Handle<Data, Named>,
    options?: OnOptions<Data>,
  ) => InboxHandler;
}

interface EventDeclarations<Named, Known extends Events> extends JobDeclarations<Named> {
  /**
   * `on`, with typed rows and typed events. A sender or a type that is not among the events does not
   * compile; a pattern such as `invoice.*` does, and its data is `unknown`.
   */
  readonly on: <Provider extends keyof Known & string, Type extends (keyof Known[Provider] & string) | `${string}*`>(
    provider: Provider,
    type: Type,
    handle: Handle<DataOf<Known[Provider][Type]>, Named>,
    options?: Omit<OnOptions, "schema">,
  ) => InboxHandler;
}

const unknownName = (what: string, given: string, names: readonly string[]): readonly string[] => [
  `handlersFor: there is no ${what}${didYouMean([given], names) || `; there are ${names.join(", ")}`}`,
];

/** A sender or a type that is not among the events. */
const eventFaults = (events: Events, provider: string, type: string): readonly string[] => {
  const listed = Object.hasOwn(events, provider) ? events[provider] : undefined;
  if (listed === undefined) return unknownName(`sender "${provider}"`, provider, Object.keys(events));
  const types = Object.keys(listed);
  // `eventTypes` names its types to the compiler only.
  if (types.length === 0 || type.includes("*") || types.includes(type)) return [];
  return unknownName(`event "${type}" of "${provider}"`, type, types);
};

interface HandlersFor {
  <const Resources extends readonly Resource[]>(resources: Resources): Declarations<RowsOf<Resources>>;
  <const Resources extends readonly Resource[], Known extends Events>(
    resources: Resources,
    events: Known,
  ): EventDeclarations<RowsOf<Resources>, Known>;
}

/**
 * `on`, `defineJob` and `schedule` whose `commit` gives the rows of these resources with their types:
 *
 *     const { on } = handlersFor([invoice]);
 *     on("stripe", "invoice.paid", async ({ data }, { commit }) =>
 *       commit(async ({ invoices }) => { … }));
 *
 * A name that is not among them does not compile. An application in which one of them is not declared
 * does not start. With `events` (schemas by sender and type, or `eventTypes`), events are typed by
 * their names as well: `handlersFor([invoice], { stripe: { "invoice.paid": payment } })`.
 * @throws DeclarationError as these functions do, and for a sender or a type that is not among the
 *   events.
 */
export const handlersFor: HandlersFor = (resources: readonly Resource[], events?: Events) => {
  const typedOn = (provider: string, type: string, handle: never, options: OnOptions = {}): InboxHandler => {
    if (events !== undefined) refuseFaults(eventFaults(events, provider, type));
    const known = events?.[provider]?.[type] as PayloadSchema | undefined;
    return on(provider, type, handle, { ...(known === undefined ? {} : { schema: known }), ...options, resources });
  };
  return {
    on: typedOn,
    defineJob: (name: string, run: never, options?: JobOptions) => defineJob(name, run, { ...options, resources }),
    schedule: (name: string, cron: string, run: never, options?: ScheduleOptions) =>
      schedule(name, cron, run, { ...options, resources }),
    // The types say more than the functions do: what differs is known to the compiler only.
  } as unknown as Declarations<never> & EventDeclarations<never, never>;
};
