import type { Command } from "commander";
import { z } from "zod";
import { withSession } from "../session.ts";
import { CommandError, exitCodes, type Terminal, table } from "../terminal.ts";

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
const page = z.object({ data: z.array(event), page: z.object({ next_cursor: z.string().nullable() }) });
const whole = event.extend({ headers: z.record(z.string(), z.string()), data: z.unknown(), jobs: z.array(job) });
const replayed = z.object({ id: z.string(), jobs: z.number() });

interface ListOptions {
  readonly provider?: string;
  readonly type?: string;
  readonly state?: string;
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
    .option("--type <type>", "only of this type")
    .option("--state <state>", "received, processing, retrying, processed, dead, ignored or quarantined")
    .option("--limit <n>", "1 to 100", "20")
    .option("--cursor <cursor>", "where the page begins")
    .option("--json", "print { items, next } as JSON")
    .action(async ({ json, ...query }: ListOptions) => {
      await withSession(terminal, async ({ run }) => {
        const { data, page: place } = page.parse(await run({ operation: "admin.events.list", query: { ...query } }));
        if (json === true) {
          terminal.stdout.write(`${JSON.stringify({ items: data, next: place.next_cursor })}\n`);
          return;
        }
        const rows = data.map((row) => [
          row.id,
          row.provider,
          row.type,
          row.state,
          row.repeats,
          row.received_at,
          row.reason,
        ]);
        const headings = ["id", "provider", "type", "state", "repeats", "received", "reason"];
        terminal.stdout.write(table(headings, rows, terminal.stdout.isTTY === true));
        if (place.next_cursor !== null) terminal.stderr.write(`More: --cursor ${place.next_cursor}\n`);
      });
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
    .description("run dead, ignored or quarantined events again")
    .argument("<id...>", "the events' ids")
    .option("--force", "also events that have been processed")
    .option("--json", "print { items } as JSON")
    .action(async (ids: readonly string[], { force, json }: { force?: boolean; json?: boolean }) => {
      await withSession(terminal, async ({ run }) => {
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
            if (json !== true) terminal.stdout.write(`Event ${id} runs again (${replayed.parse(body).jobs} jobs).\n`);
          } catch (thrown) {
            if (ids.length === 1) throw thrown;
            failed += 1;
            terminal.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
          }
        }
        if (json === true) terminal.stdout.write(`${JSON.stringify({ items })}\n`);
        if (failed > 0)
          throw new CommandError(exitCodes.someFailed, `${failed} of ${ids.length} events were not replayed.`);
      });
    });
};

const describe = ({ jobs, headers, data, ...facts }: z.infer<typeof whole>): string => {
  const { body_base64: _bytes, ...shown } = facts;
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
    "\ndata\n",
    `${JSON.stringify(data, undefined, 2)}\n`,
  ].join("");
};
