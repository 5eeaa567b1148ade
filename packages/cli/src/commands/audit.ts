import type { Command } from "commander";
import { z } from "zod";
import { filtersOf, pageOf } from "../list-query.ts";
import { momentOf } from "../moment.ts";
import { type Columns, printPage } from "../print-page.ts";
import { withSession } from "../session.ts";
import type { Terminal } from "../terminal.ts";

const entry = z.looseObject({
  id: z.string(),
  at: z.string(),
  actor: z.object({ kind: z.string(), id: z.string().nullable() }),
  action: z.string(),
  resource: z.string().nullable(),
  resource_id: z.string().nullable(),
  result: z.string(),
  address: z.string(),
  request_id: z.string(),
  fields: z.array(z.string()),
});

type Entry = z.infer<typeof entry>;

const columns: Columns<Entry> = {
  at: ({ at }) => at,
  actor: ({ actor }) => (actor.id === null ? actor.kind : `${actor.kind} ${actor.id}`),
  action: ({ action }) => action,
  resource: ({ resource }) => resource,
  id: ({ resource_id }) => resource_id,
  fields: ({ fields }) => fields.join(","),
  result: ({ result }) => result,
  address: ({ address }) => address,
  request: ({ request_id }) => request_id,
};

interface ListOptions {
  readonly actor?: string;
  readonly action?: string;
  readonly resource?: string;
  readonly id?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit: string;
  readonly cursor?: string;
  readonly json?: boolean;
}

/** `postern audit …` */
export const addAuditCommands = (program: Command, terminal: Terminal): void => {
  const audit = program.command("audit").description("read what was done, and by whom");

  audit
    .command("list")
    .description("list writes, sign-ins and what was refused to administrators, newest first")
    .option("--actor <id>", "only what this user (by id) or operator (by name) did")
    .option("--action <operation>", "only this operation or event, like posts.update")
    .option("--resource <name>", "only what was done to these, like post")
    .option("--id <id>", "only what was done to the one with this id")
    .option("--since <time>", "not before then: 30m, 24h, 7d or an RFC 3339 time")
    .option("--until <time>", "before then")
    .option("--limit <n>", "1 to 100", "20")
    .option("--cursor <cursor>", "where the page begins")
    .option("--json", "print { items, next } as JSON")
    .action(async ({ json, limit, cursor, since, until, actor, action, resource, id }: ListOptions) => {
      const filters = filtersOf({
        actor,
        action,
        resource,
        resource_id: id,
        "at][gte": since === undefined ? undefined : momentOf("--since", since),
        "at][lt": until === undefined ? undefined : momentOf("--until", until),
      });
      const query = { ...pageOf({ limit, cursor }), ...filters };
      await withSession(terminal, async ({ run }) =>
        printPage(terminal, { item: entry, columns, json }, await run({ operation: "admin.audit.list", query })),
      );
    });
};
