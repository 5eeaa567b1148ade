import type { Command } from "commander";
import { addCall } from "../actions.ts";
import { filtersOf } from "../list-query.ts";
import { momentOf } from "../moment.ts";
import type { AnswerOf } from "../operations.ts";
import { addPages, type Columns, type ItemOf } from "../print-list.ts";
import { escaped, type Terminal } from "../terminal.ts";
import { traceLines } from "../trace-lines.ts";

const columns: Columns<ItemOf<"admin.refusals.list">> = {
  id: "id",
  provider: "provider",
  reason: "reason",
  refused: "refused_at",
  "not kept": "unkept",
  hint: "hint",
};

interface Filters {
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
  addPages(list, terminal, {
    operation: "admin.refusals.list",
    columns,
    filters: ({ provider, reason, since }: Filters) => {
      const from = since === undefined ? undefined : momentOf("--since", since);
      return filtersOf({ provider, reason, "refused_at][gte": from });
    },
  });
};

const describe = (shown: AnswerOf<"admin.refusals.read">): string => {
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
  const show = refusals
    .command("show")
    .description("show how a refused delivery was verified, why it was refused, and what to do")
    .argument("<id>", "the refusal's id");
  addCall(show, terminal, {
    call: (id: string) => ({ operation: "admin.refusals.read", params: { id } }),
    tell: (shown) => terminal.stdout.write(describe(shown)),
    json: "it",
  });
};

/** `postern refusals …` */
export const addRefusalCommands = (refusals: Command, terminal: Terminal): void => {
  addListCommand(refusals, terminal);
  addShowCommand(refusals, terminal);
};
