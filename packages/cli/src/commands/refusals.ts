import type { Command } from "commander";
import { z } from "zod";
import { filtersOf, type PageOptions, pageOf, withPage } from "../list-query.ts";
import { momentOf } from "../moment.ts";
import { type Columns, type ListOutput, printPage, withListOutput } from "../print-list.ts";
import { withOperations } from "../session.ts";
import { escaped, type Terminal } from "../terminal.ts";
import { trace, traceLines } from "../trace-lines.ts";

/** A refused delivery as lists have it. */
export const refusal = z.looseObject({
  id: z.string(),
  provider: z.string(),
  reason: z.string(),
  hint: z.string().nullable(),
  refused_at: z.string(),
  request_id: z.string(),
  address: z.string().nullable(),
  bytes: z.number(),
  unkept: z.number(),
});
/** A refused delivery with its trace. */
export const refusalInFull = refusal.extend({ trace, body_base64: z.string() });

const columns: Columns<z.infer<typeof refusal>> = {
  id: ({ id }) => id,
  provider: ({ provider }) => provider,
  reason: ({ reason }) => reason,
  refused: ({ refused_at }) => refused_at,
  "not kept": ({ unkept }) => unkept,
  hint: ({ hint }) => hint,
};

interface ListOptions extends PageOptions, ListOutput {
  readonly provider?: string;
  readonly reason?: string;
  readonly since?: string;
}

const addListCommand = (refusals: Command, terminal: Terminal): void => {
  const list = refusals
    .command("list")
    .description("list deliveries that were refused, newest first: the last 1,000, for a day")
    .option("--provider <name>", "only this sender's")
    .option("--reason <code>", "only those with this reason, such as signature_mismatch")
    .option("--since <time>", "refused since then: 30m, 24h, 7d or an RFC 3339 time");
  withListOutput(withPage(list)).action(async ({ provider, reason, since, ...options }: ListOptions) => {
    const from = since === undefined ? undefined : momentOf("--since", since);
    const query = { ...pageOf(options), ...filtersOf({ provider, reason, "refused_at][gte": from }) };
    await withOperations(terminal, async ({ run }) =>
      printPage(terminal, options, { item: refusal, columns }, await run({ operation: "admin.refusals.list", query })),
    );
  });
};

const describe = (shown: z.infer<typeof refusalInFull>): string => {
  const facts: readonly (readonly [string, unknown])[] = [
    ["id", shown.id],
    ["provider", shown.provider],
    ["refused", shown.refused_at],
    ["request", shown.request_id],
    ["address", shown.address ?? "-"],
    ["not kept", `${shown.unkept} before it with the same reason`],
  ];
  const lines = facts.map(([name, value]) => escaped(`${name.padEnd(10)}  ${value}\n`));
  const body = shown.body_base64 === "" ? "" : "\nIts body is kept; --json has it, in base64.\n";
  return [...lines, "\n", traceLines(shown.trace), body].join("");
};

const addShowCommand = (refusals: Command, terminal: Terminal): void => {
  refusals
    .command("show")
    .description("show how a refused delivery was verified, why it was refused, and what to do")
    .argument("<id>", "the refusal's id")
    .option("--json", "print it as JSON")
    .action(async (id: string, { json }: { json?: boolean }) => {
      await withOperations(terminal, async ({ run }) => {
        const shown = refusalInFull.parse(await run({ operation: "admin.refusals.read", params: { id } }));
        terminal.stdout.write(json === true ? `${JSON.stringify(shown)}\n` : describe(shown));
      });
    });
};

/** `postern refusals …` */
export const addRefusalCommands = (refusals: Command, terminal: Terminal): void => {
  addListCommand(refusals, terminal);
  addShowCommand(refusals, terminal);
};
