import type { Composition } from "@postern/server";
import type { Command } from "commander";
import { momentOf } from "../moment.ts";
import { numberOf } from "../number-of.ts";
import { withSession } from "../session.ts";
import { table } from "../table.ts";
import type { Terminal } from "../terminal.ts";

/** `postern events tail` */
export const addTailCommand = (events: Command, terminal: Terminal): void => {
  events
    .command("tail")
    .description("show events as they come in, oldest first, until Ctrl-C")
    .option("--provider <name>", "only this sender's")
    .option("--type <type>", "only of this type")
    .option("--since <time>", "begin then: 30m, 24h or an RFC 3339 time (default: now)")
    .option("--count <n>", "end after this many events")
    .option("--json", "print one JSON object a line")
    .option("--jsonl", "the same as --json")
    .action(async (options: TailOptions) => {
      await withSession(terminal, ({ composition }) => tail(terminal, composition.storage.events, options));
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

const tailEveryMs = 500;

const tail = async (
  terminal: Terminal,
  events: Composition["storage"]["events"],
  { provider, type, since, count, json, jsonl }: TailOptions,
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
        json === true || jsonl === true
          ? `${JSON.stringify({ id: String(event.id), provider: event.provider, event_id: event.eventId ?? null, type: event.type ?? null, state: event.state, received_at: row[0] })}\n`
          : table([], [[...row, event.reason]], undefined),
      );
      after = event.id;
      shown += 1;
    }
    if (found.length === 0) await new Promise((resolve) => setTimeout(resolve, tailEveryMs));
  }
};
