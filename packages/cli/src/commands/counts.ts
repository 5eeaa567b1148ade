import { type Command, Option } from "commander";
import { momentOf } from "../moment.ts";
import type { AnswerOf } from "../operations.ts";
import { type Columns, type ListOutput, printList, withListOutput } from "../print-list.ts";
import { withOperations } from "../session.ts";
import { hint, type Terminal } from "../terminal.ts";

type Found = AnswerOf<"admin.counts">;
type Bucket = Found["buckets"][number];
type SenderCounts = AnswerOf<"admin.counts-by-provider">;
type SenderCount = SenderCounts["providers"][number];
type Happened = Omit<SenderCount, "provider">;

const happenedColumns: Columns<Happened> = {
  received: "received",
  refused: "refused",
  duplicate: "duplicate",
  quarantined: "quarantined",
  processed: "processed",
  dead: "dead",
  late: "late",
  "about p95 ms": ({ latency_ms }) => latency_ms?.about_p95,
};
const columns: Columns<Bucket> = {
  at: ({ at, filling }) => (filling ? `${at} (still filling)` : at),
  ...happenedColumns,
  waiting: "waiting",
};
const senderColumns: Columns<SenderCount> = {
  provider: "provider",
  ...happenedColumns,
};

const stepMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };
const bars = "▁▂▃▄▅▆▇█";
const widest = 60;

/** The numbers as bars, each as high as its share of the highest; a space for none. Neighbours share a bar if there are many. */
export const sparkline = (values: readonly number[]): string => {
  const each = Math.ceil(values.length / widest);
  const sums = Array.from({ length: Math.ceil(values.length / each) }, (_, place) =>
    values.slice(place * each, (place + 1) * each).reduce((sum, value) => sum + value, 0),
  );
  const highest = Math.max(...sums, 1);
  return sums.map((sum) => (sum === 0 ? " " : bars[Math.ceil((sum / highest) * bars.length) - 1])).join("");
};

const shown = ["received", "refused", "duplicate", "quarantined", "processed", "dead", "late"] as const;

/** The lines above the table: what happened in all, and when. */
const summaryOf = ({ step, from, to, provider, total, buckets }: Found): string => {
  const first = Date.parse(from);
  const places = Math.max(1, Math.ceil((Date.parse(to) - first) / stepMs[step]));
  const lines = shown.flatMap((name) => {
    if (total[name] === 0) return [];
    const values = new Array<number>(places).fill(0);
    for (const one of buckets) values[Math.floor((Date.parse(one.at) - first) / stepMs[step])] = one[name];
    return [`${name.padEnd(11)} ${String(total[name]).padStart(9)}  ${sparkline(values)}\n`];
  });
  const { latency_ms: latency } = total;
  const took =
    latency === null
      ? ""
      : `latency      about ${latency.about_p50} ms (half), ${latency.about_p95} ms (95 %), ${latency.about_p99} ms (99 %)\n`;
  const waited =
    total.waiting === 0
      ? ""
      : `waiting      at most ${total.waiting}, the oldest for ${total.oldest_waiting_seconds} s\n`;
  const about = provider === null ? "" : ` of ${provider}`;
  return `${from} to ${to}, by ${step}${about}\n${lines.join("")}${took}${waited}`;
};

interface CountOptions extends ListOutput {
  readonly since: string;
  readonly step?: string;
  readonly provider?: string;
  readonly byProvider?: boolean;
}

/** A row for each sender. */
const showSenders = (terminal: Terminal, output: ListOutput, { providers: items, ...more }: SenderCounts): void => {
  const isForPerson = printList(terminal, output, { items, columns: senderColumns, more });
  if (!isForPerson) return;
  if (items.length === 0) terminal.stderr.write(hint("Nothing was counted of any sender.\n", terminal));
  if (!more.complete) terminal.stderr.write(`Only the first ${items.length} senders by name are shown.\n`);
};

/** `postern counts` */
export const addCountsCommand = (command: Command, terminal: Terminal): void => {
  withListOutput(command, "{ step, from, to, provider, total, items }")
    .option("--since <time>", "since then: 30m, 24h, 7d or an RFC 3339 time", "1h")
    .addOption(
      new Option("--step <step>", "how long the buckets are (default: as fits the time)").choices([
        "minute",
        "hour",
        "day",
      ]),
    )
    .option("--provider <name>", "only this sender's")
    .addOption(new Option("--by-provider", "a row for each sender instead of each bucket").conflicts("provider"))
    .addHelpText(
      "after",
      "\nMinutes are kept for 7 days, hours for 90, days for 400. Those in which nothing happened are left out.",
    )
    .action(async ({ since, step, provider, byProvider, ...output }: CountOptions) => {
      const query = {
        from: momentOf("--since", since),
        ...(step === undefined ? {} : { step }),
        ...(provider === undefined ? {} : { provider }),
      };
      await withOperations(terminal, async ({ run }) => {
        if (byProvider === true) {
          showSenders(terminal, output, await run({ operation: "admin.counts-by-provider", query }));
          return;
        }
        const found = await run({ operation: "admin.counts", query });
        const { buckets: items, ...about } = found;
        const isTable = output.json !== true && output.jsonl !== true && terminal.stdout.isTTY === true;
        if (isTable) terminal.stdout.write(`${summaryOf(found)}\n`);
        printList(terminal, output, { items, columns, more: about });
        if (isTable && items.length === 0) terminal.stderr.write(hint("Nothing happened.\n", terminal));
      });
    });
};
