import { verifyAuditLog } from "@postern/app/internal";
import type { AuditSeal } from "@postern/core/ports";
import type { Command } from "commander";
import { exportPages } from "../export-pages.ts";
import { filtersOf } from "../list-query.ts";
import { momentOf } from "../moment.ts";
import { addPages, type Columns, type ItemOf } from "../print-list.ts";
import { withOperations, withSession } from "../session.ts";
import { CommandError, exitCodes, type Terminal } from "../terminal.ts";

const columns: Columns<ItemOf<"admin.audit.list">> = {
  at: "at",
  actor: ({ actor }) => (actor.id === null ? actor.kind : `${actor.kind} ${actor.id}`),
  action: "action",
  resource: "resource",
  id: "resource_id",
  fields: ({ fields }) => fields.join(","),
  result: "result",
  address: "address",
  request: "request_id",
};

interface Filters {
  readonly actor?: string;
  readonly action?: string;
  readonly resource?: string;
  readonly id?: string;
  readonly reads?: boolean;
  readonly since?: string;
  readonly until?: string;
}

const filtersOfOptions = ({ actor, action, resource, id, reads, since, until }: Filters) => {
  const from = since === undefined ? undefined : momentOf("--since", since);
  const to = until === undefined ? undefined : momentOf("--until", until);
  if (from !== undefined && to !== undefined && to <= from)
    throw new CommandError(exitCodes.usage, "--until is not after --since, so nothing can match.");
  const shown = reads === false ? "false" : undefined;
  return filtersOf({ actor, action, resource, resource_id: id, reads: shown, "at][gte": from, "at][lt": to });
};

const narrowing = (command: Command): Command =>
  command
    .option("--actor <id>", "only what this user (by id) or operator (by name) did")
    .option("--action <operation>", "only this operation or event, such as posts.update")
    .option("--resource <name>", "only what was done to this resource, such as post")
    .option("--id <id>", "only what was done to the row with this id")
    .option("--no-reads", "leave out who saw payloads and errors of handlers")
    .option("--since <time>", "from this time on: 30m, 24h, 7d ago, or an RFC 3339 time")
    .option("--until <time>", "before then");

/** A seal as `verify` prints it: `1024:…`. */
const sealText = ({ place, digest }: AuditSeal): string => `${place}:${digest}`;

/** @throws CommandError for a text that `verify` did not print. */
const sealOf = (text: string): AuditSeal => {
  const [, place, digest] = /^([1-9]\d{0,14}):([\w-]{1,64})$/.exec(text) ?? [];
  if (place !== undefined && digest !== undefined) return { place: Number(place), digest };
  throw new CommandError(
    exitCodes.usage,
    "--head: give it as an earlier `postern audit verify` printed it: 1024:Zm9v… Nothing was checked.",
  );
};

type AuditReport = Awaited<ReturnType<typeof verifyAuditLog>>;

const sentenceOf = ({ kind, place, upTo, entryId }: AuditReport["findings"][number]): string => {
  switch (kind) {
    case "gap":
      return place === upTo
        ? `gap: the entry at place ${place} and its seal are missing`
        : `gap: the entries at places ${place} to ${upTo} and their seals are missing`;
    case "removed":
      return `removed: entry ${entryId}, at place ${place}, is missing`;
    case "changed":
      return `changed: entry ${entryId}, at place ${place}, or its seal is not what was sealed`;
    case "unsealed":
      return `unsealed: entry ${entryId} has no seal, but later entries have; it was put in afterwards`;
    case "hidden":
      return `hidden: the address of entry ${entryId}, at place ${place}, was erased, but no entry says that its account was deleted`;
    case "head":
      return `head: the seal that you kept, of place ${place}, is not in the log`;
  }
};

/** Prints the findings, one a line, and on stderr how much was compared. */
const printReport = ({ stdout, stderr }: Terminal, report: AuditReport): void => {
  const { findings, hasMore, checked, anchor, head, waiting, keptIsPruned } = report;
  for (const finding of findings) stdout.write(`${sentenceOf(finding)}\n`);
  if (hasMore) stdout.write("There are more; these are the first.\n");
  stderr.write(`${checked} sealed entries compared; ${waiting} wait for their seals.\n`);
  if (anchor !== undefined) stderr.write(`Entries up to place ${anchor.place} have been pruned.\n`);
  if (keptIsPruned) stderr.write("The seal that you kept belongs to a pruned entry; keep the newest seal.\n");
  if (head !== undefined) stderr.write(`Keep this elsewhere, and give it next time with --head: ${sealText(head)}\n`);
};

/** The report as JSON, with the names that all other commands use. */
const reportAsJson = ({ findings, hasMore, keptIsPruned, ...report }: AuditReport): string =>
  JSON.stringify({
    findings: findings.map(({ upTo, entryId, ...finding }) => ({ ...finding, up_to: upTo, entry_id: entryId })),
    has_more: hasMore,
    kept_is_pruned: keptIsPruned,
    ...report,
  });

/** `postern audit …` */
export const addAuditCommands = (audit: Command, terminal: Terminal): void => {
  const list = narrowing(audit.command("list")).description(
    "list writes, sign-ins and what was refused to administrators, newest first",
  );
  addPages(list, terminal, { operation: "admin.audit.list", columns, filters: filtersOfOptions });

  narrowing(audit.command("export"))
    .description("print entries as NDJSON, oldest first: one JSON document a line, with place and digest")
    .action((options: Filters) =>
      withOperations(terminal, (operations) =>
        exportPages(terminal, operations, {
          operation: "admin.audit.list",
          query: { sort: "id", ...filtersOfOptions(options) },
        }),
      ),
    );

  audit
    .command("verify")
    .description("compare every entry with its seal, and say where entries are missing or were changed")
    .option("--head <place:digest>", "the seal that an earlier run told you to keep")
    .option("--json", "print the report as JSON")
    .action(async ({ head, json }: { head?: string; json?: boolean }) => {
      const kept = head === undefined ? undefined : sealOf(head);
      const report = await withSession(terminal, ({ composition: { ports } }) =>
        verifyAuditLog(ports, kept === undefined ? {} : { kept }),
      );
      if (json === true) terminal.stdout.write(`${reportAsJson(report)}\n`);
      else printReport(terminal, report);
      if (report.findings.length > 0)
        throw new CommandError(exitCodes.problems, "The audit log was changed, or entries are missing.");
      terminal.stderr.write("The audit log is unchanged.\n");
    });
};
