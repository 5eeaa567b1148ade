import type { Command } from "commander";
import { followFeed, untilInterrupted } from "../follow-feed.ts";
import { momentOf } from "../moment.ts";
import { numberOf } from "../number-of.ts";
import type { Operations } from "../operations.ts";
import type { ItemOf } from "../print-list.ts";
import { withOperations } from "../session.ts";
import { table } from "../table.ts";
import { hint, type Terminal } from "../terminal.ts";

/** `postern events tail` */
export const addTailCommand = (events: Command, terminal: Terminal): void => {
  events
    .command("tail")
    .description("show events as they come in, oldest first, until Ctrl-C; on a server it survives restarts")
    .option("--provider <name>", "only this sender's")
    .option("--type <type>", "only of this type")
    .option("--since <time>", "begin then: 30m, 24h or an RFC 3339 time (default: now)")
    .option("--count <n>", "end after this many events")
    .option("--json", "print one JSON object a line")
    .option("--jsonl", "the same as --json")
    .action(async (options: TailOptions) => {
      await withOperations(terminal, (operations) => tail(terminal, operations, options));
    });
};

interface TailOptions {
  readonly provider?: string;
  readonly type?: string;
  readonly since?: string;
  readonly count?: string;
  readonly json?: boolean;
  readonly jsonl?: boolean;
}

type Event = ItemOf<"admin.events.list">;

/** Ids of listed events that the feed may tell again. */
const mostRemembered = 10_000;

/** The events since a time, oldest first. */
async function* listed(
  { run }: Operations,
  since: string,
  filters: Readonly<Record<string, string>>,
): AsyncGenerator<Event> {
  const query = { ...filters, "filter[received_at][gte]": since, sort: "id", limit: "100" };
  let place: { cursor?: string } = {};
  for (;;) {
    const { data, page: next } = await run({ operation: "admin.events.list", query: { ...query, ...place } });
    yield* data;
    if (next.next_cursor === null) return;
    place = { cursor: next.next_cursor };
  }
}

const tail = async (terminal: Terminal, operations: Operations, options: TailOptions): Promise<void> => {
  const { provider, type, since, count, json, jsonl } = options;
  const most = count === undefined ? Number.POSITIVE_INFINITY : numberOf("--count", count);
  const from = since === undefined ? undefined : momentOf("--since", since);
  const only = { ...(provider === undefined ? {} : { provider }), ...(type === undefined ? {} : { type }) };
  const filters = Object.fromEntries(Object.entries(only).map(([name, value]) => [`filter[${name}]`, value]));
  const interrupted = untilInterrupted();
  const { signal } = interrupted;
  const known = new Set<string>();
  let shown = 0;
  const show = (one: Event): void => {
    if (known.has(one.id) || shown >= most) return;
    shown += 1;
    const row = [one.received_at, one.id, one.provider, one.type, one.state, one.reason];
    terminal.stdout.write(json === true || jsonl === true ? `${JSON.stringify(one)}\n` : table([], [row], undefined));
    if (shown >= most) interrupted.abort();
  };
  const onAway = (why: string): void => void terminal.stderr.write(`${hint(why, terminal)} Trying again.\n`);
  let begins = true;
  for await (const { kind, data } of followFeed(operations, { kind: "event", ...only }, { signal, onAway })) {
    // The feed has its place now. So what is listed next and what it tells leave no gap.
    if (begins && from !== undefined) {
      for await (const one of listed(operations, from, filters)) {
        show(one);
        if (signal.aborted) return;
        if (known.size < mostRemembered) known.add(one.id);
      }
    }
    begins = false;
    if (kind === "reset") terminal.stderr.write("Some events were missed: postern events list shows them.\n");
    if (kind === "event") show(data as Event);
    if (signal.aborted) return;
  }
};
