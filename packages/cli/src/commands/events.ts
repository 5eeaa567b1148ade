import type { Composition } from "@postern/server";
import { type Command, Option } from "commander";
import { z } from "zod";
import { filtersOf, pageOf } from "../list-query.ts";
import { momentOf } from "../moment.ts";
import { type Columns, printPage } from "../print-page.ts";
import { type Session, withSession } from "../session.ts";
import { CommandError, counted, exitCodes, isConfirmed, type Terminal, table } from "../terminal.ts";

const event = z.looseObject({
  id: z.string(),
  provider: z.string(),
  event_id: z.string().nullable(),
  type: z.string().nullable(),
  state: z.string(),
  reason: z.string().nullable(),
  received_at: z.string(),
  repeats: z.number(),
});
const job = z.looseObject({
  id: z.string(),
  handler: z.string(),
  state: z.string(),
  attempt: z.number(),
  max_attempts: z.number(),
  due_at: z.string().nullable(),
  last_error: z.string().nullable(),
});
const forward = z.looseObject({
  handler: z.string(),
  attempt: z.number(),
  at: z.string(),
  ms: z.number(),
  status: z.number().nullable(),
  error: z.string().nullable(),
});
const whole = event.extend({
  headers: z.record(z.string(), z.string()),
  metadata: z.record(z.string(), z.unknown()),
  data: z.unknown(),
  payload: z.unknown(),
  jobs: z.array(job),
  forwards: z.array(forward),
});
const states = ["received", "processing", "retrying", "processed", "dead", "cancelled", "ignored", "quarantined"];
const replayed = z.object({ id: z.string(), jobs: z.number() });

const columns: Columns<z.infer<typeof event>> = {
  id: ({ id }) => id,
  provider: ({ provider }) => provider,
  type: ({ type }) => type,
  "sender's id": ({ event_id }) => event_id,
  state: ({ state }) => state,
  repeats: ({ repeats }) => repeats,
  received: ({ received_at }) => received_at,
  reason: ({ reason }) => reason,
};

interface ListOptions {
  readonly provider?: string;
  readonly eventId?: string;
  readonly type?: string;
  readonly state?: string;
  readonly since?: string;
  readonly limit: string;
  readonly cursor?: string;
  readonly json?: boolean;
}

/** `postern events …` */
export const addEventCommands = (program: Command, terminal: Terminal): void => {
  const events = program.command("events").description("look at webhook events and run them again");

  events
    .command("list")
    .description("list events, newest first")
    .option("--provider <name>", "only this sender's")
    .option("--event-id <id>", "only the one with this id of the sender's")
    .option("--type <type>", "only of this type")
    .addOption(new Option("--state <state>", "only in this state").choices(states))
    .option("--since <time>", "received since then: 30m, 24h, 7d or an RFC 3339 time")
    .option("--limit <n>", "1 to 100", "20")
    .option("--cursor <cursor>", "where the page begins")
    .option("--json", "print { items, next } as JSON")
    .action(async ({ json, limit, cursor, ...narrowed }: ListOptions) => {
      const query = {
        ...pageOf({ limit, cursor }),
        ...filtersOf({
          provider: narrowed.provider,
          event_id: narrowed.eventId,
          type: narrowed.type,
          state: narrowed.state,
          "received_at][gte": narrowed.since === undefined ? undefined : momentOf("--since", narrowed.since),
        }),
      };
      await withSession(terminal, async ({ run }) =>
        printPage(terminal, { item: event, columns, json }, await run({ operation: "admin.events.list", query })),
      );
    });

  events
    .command("show")
    .description("show an event with its body and its jobs")
    .argument("<id>", "the event's id")
    .option("--json", "print it as JSON")
    .action(async (id: string, { json }: { json?: boolean }) => {
      await withSession(terminal, async ({ run }) => {
        const body = await run({ operation: "admin.events.read", params: { id } });
        terminal.stdout.write(json === true ? `${JSON.stringify(body)}\n` : describe(whole.parse(body)));
      });
    });

  events
    .command("replay")
    .description("run dead, cancelled, ignored or quarantined events again: by id, or all that match")
    .argument("[id...]", "the events' ids")
    .addOption(
      new Option("--state <state>", "all events in this state").choices([
        "dead",
        "cancelled",
        "quarantined",
        "ignored",
        "processed",
      ]),
    )
    .option("--provider <name>", "of these, only this sender's")
    .option("--type <type>", "of these, only this type")
    .option("--since <time>", "received since then: 30m, 24h, 7d or an RFC 3339 time")
    .option("--until <time>", "received before then")
    .option("--rate <n>", "how many events begin per second")
    .option("--limit <n>", "how many events to look at, up to 10000", "1000")
    .option("--dry-run", "only show what would be done")
    .option("--yes", "do it without being asked")
    .option("--force", "also events that have been processed")
    .option("--json", "print the outcome as JSON")
    .action(async (ids: readonly string[], options: ReplayOptions) => {
      if ((ids.length === 0) === (options.state === undefined)) {
        throw new CommandError(exitCodes.usage, "Name events by their ids, or all of a state with --state.");
      }
      await withSession(terminal, async ({ run }) =>
        ids.length > 0 ? replayEach(terminal, run, ids, options) : replayAll(terminal, run, options),
      );
    });

  events
    .command("tail")
    .description("show events as they come in, oldest first, until Ctrl-C")
    .option("--provider <name>", "only this sender's")
    .option("--type <type>", "only of this type")
    .option("--since <time>", "begin then: 30m, 24h or an RFC 3339 time (default: now)")
    .option("--count <n>", "end after this many events")
    .option("--json", "print one JSON object a line")
    .action(async (options: TailOptions) => {
      await withSession(terminal, ({ composition }) => tail(terminal, composition.storage.events, options));
    });
};

interface ReplayOptions {
  readonly state?: string;
  readonly provider?: string;
  readonly type?: string;
  readonly since?: string;
  readonly until?: string;
  readonly rate?: string;
  readonly limit: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

const replayEach = async (
  terminal: Terminal,
  run: Session["run"],
  ids: readonly string[],
  { force, json }: ReplayOptions,
): Promise<void> => {
  const items: object[] = [];
  let failed = 0;
  for (const id of ids) {
    try {
      const body = await run({
        operation: "admin.events.replay",
        params: { id },
        body: { force: force === true },
      });
      items.push(replayed.parse(body));
      if (json !== true)
        terminal.stdout.write(`Event ${id} runs again (${counted(replayed.parse(body).jobs, "job")}).\n`);
    } catch (thrown) {
      if (ids.length === 1) throw thrown;
      failed += 1;
      terminal.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
    }
  }
  if (json === true) terminal.stdout.write(`${JSON.stringify({ items })}\n`);
  if (failed > 0)
    throw new CommandError(exitCodes.someFailed, `${failed} of ${counted(ids.length, "event")} were not replayed.`);
};

const bulk = z.object({
  dry_run: z.boolean(),
  matched: z.number(),
  replayed: z.number(),
  jobs: z.number(),
  skipped: z.array(z.object({ reason: z.string(), events: z.number() })),
  last_due_at: z.string().nullable(),
  next: z.string().nullable(),
});

/** Shows the plan, asks, then runs it. */
const replayAll = async (terminal: Terminal, run: Session["run"], options: ReplayOptions): Promise<void> => {
  const { state, provider, type, since, until, rate, limit, force, json } = options;
  const body = {
    state,
    force: force === true,
    limit: numberOf("--limit", limit),
    ...(provider === undefined ? {} : { provider }),
    ...(type === undefined ? {} : { type }),
    ...(since === undefined ? {} : { received_since: momentOf("--since", since) }),
    ...(until === undefined ? {} : { received_before: momentOf("--until", until) }),
    ...(rate === undefined ? {} : { per_second: numberOf("--rate", rate) }),
  };
  const call = async (dry_run: boolean) =>
    bulk.parse(await run({ operation: "admin.events.replayMany", body: { ...body, dry_run } }));
  const plan = await call(true);
  const show = (outcome: z.infer<typeof bulk>): void =>
    void terminal.stdout.write(json === true ? `${JSON.stringify(outcome)}\n` : summaryOf(outcome, terminal));
  if (options.dryRun === true) return show(plan);
  if (plan.replayed === 0) return show({ ...plan, dry_run: false });
  if (options.yes !== true) {
    terminal.stderr.write(summaryOf(plan, terminal));
    if (!(await isConfirmed(terminal, `Run ${counted(plan.replayed, "event")} again?`))) {
      throw new CommandError(exitCodes.notConfirmed, "Nothing was changed; add --yes to do it.");
    }
  }
  show(await call(false));
};

const summaryOf = (outcome: z.infer<typeof bulk>, { inOptions = String }: Terminal): string =>
  [
    `${counted(outcome.matched, "event")} ${outcome.matched === 1 ? "matches" : "match"}; ${outcome.replayed} ${outcome.dry_run ? "would run again" : `run again (${counted(outcome.jobs, "job")})`}.\n`,
    ...outcome.skipped.map(({ reason, events: count }) => `  skipped ${count}: ${inOptions(reason)}\n`),
    ...(outcome.last_due_at === null ? [] : [`The last of them begins at ${outcome.last_due_at}.\n`]),
    ...(outcome.next === null ? [] : ["There are more events: run this again, or give a higher --limit.\n"]),
    ...(outcome.dry_run ? ["Nothing was changed.\n"] : []),
  ].join("");

const numberOf = (option: string, text: string): number => {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new CommandError(exitCodes.usage, `${option} takes a number, not ${text}.`);
};

interface TailOptions {
  readonly provider?: string;
  readonly type?: string;
  readonly since?: string;
  readonly count?: string;
  readonly json?: boolean;
}

const tailEveryMs = 500;

const tail = async (
  terminal: Terminal,
  events: Composition["storage"]["events"],
  { provider, type, since, count, json }: TailOptions,
): Promise<void> => {
  const most = count === undefined ? Number.POSITIVE_INFINITY : numberOf("--count", count);
  const filter = { ...(provider === undefined ? {} : { provider }), ...(type === undefined ? {} : { type }) };
  const from = since === undefined ? {} : { since: Date.parse(momentOf("--since", since)) };
  const [newest] = since === undefined ? await events.list({ limit: 1 }) : [];
  let after = newest?.id ?? 0;
  let shown = 0;
  const interrupted = { now: false };
  process.once("SIGINT", () => {
    interrupted.now = true;
  });
  while (shown < most && !interrupted.now) {
    const found = await events.list({ ...filter, ...from, after, limit: Math.min(100, most - shown) });
    for (const event of found) {
      const row = [new Date(event.receivedAt).toISOString(), event.id, event.provider, event.type, event.state];
      terminal.stdout.write(
        json === true
          ? `${JSON.stringify({ id: String(event.id), provider: event.provider, event_id: event.eventId ?? null, type: event.type ?? null, state: event.state, received_at: row[0] })}\n`
          : table([], [[...row, event.reason]], false),
      );
      after = event.id;
      shown += 1;
    }
    if (found.length === 0) await new Promise((resolve) => setTimeout(resolve, tailEveryMs));
  }
};

const forwardHeadings = ["handler", "attempt", "at", "ms", "answered", "error"];
const forwardRow = ({ handler, attempt, at, ms, status, error }: z.infer<typeof forward>): readonly unknown[] => [
  handler,
  attempt,
  at,
  ms,
  status,
  error,
];

const describe = ({ jobs, forwards, headers, metadata, data, payload, ...facts }: z.infer<typeof whole>): string => {
  const { body_base64: _bytes, ...shown } = facts;
  const { rest = {}, ...told } = metadata;
  const isWhole = Object.keys(Object(rest)).length === 0;
  const width = Math.max(...Object.keys(shown).map((name) => name.length));
  const lines = Object.entries(shown).map(([name, value]) => `${name.padEnd(width)}  ${value ?? "-"}\n`);
  const jobRows = jobs.map((row) => [
    row.id,
    row.handler,
    row.state,
    `${row.attempt}/${row.max_attempts}`,
    row.due_at,
    row.last_error,
  ]);
  return [
    ...lines,
    "\nheaders\n",
    ...Object.entries(headers).map(([name, value]) => `  ${name}: ${value}\n`),
    "\njobs\n",
    table(["id", "handler", "state", "attempts", "due", "last error"], jobRows, true),
    ...(forwards.length === 0 ? [] : ["\nforwards\n", table(forwardHeadings, forwards.map(forwardRow), true)]),
    "\nmetadata\n",
    ...Object.entries(told).map(([name, value]) => `  ${name}: ${value ?? "-"}\n`),
    isWhole ? "\ndata (the whole payload)\n" : "\ndata\n",
    `${JSON.stringify(data, undefined, 2)}\n`,
    ...(isWhole ? [] : ["\npayload\n", `${JSON.stringify(payload, undefined, 2)}\n`]),
  ].join("");
};
