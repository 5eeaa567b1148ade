import { changeLogMarkdown, newestOf } from "@postern/rest";
import type { Command } from "commander";
import { z } from "zod";
import { withSession } from "../session.ts";
import { type Terminal, table } from "../terminal.ts";

/** These commands need no tables in the database. */
const unchecked = { checkSchema: false };

const uses = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      state: z.string(),
      sunset_at: z.string(),
      calls: z.number(),
      calls_asked: z.number(),
      calls_sent: z.number(),
      safe_to_remove: z.boolean(),
      clients: z.array(
        z.object({
          client: z.string(),
          agent: z.string(),
          operation: z.string(),
          calls: z.number(),
          last_used_at: z.string(),
        }),
      ),
    }),
  ),
});

/** `postern openapi`, `postern changelog`, `postern deprecations` */
export const addApiCommands = (program: Command, terminal: Terminal): void => {
  program
    .command("openapi")
    .description("print the OpenAPI 3.1 document of a version")
    .option("--api-version <version>", "the version (default: the newest)")
    .option("--json", "changes nothing: the document is JSON")
    .action(async ({ apiVersion }: { apiVersion?: string }) => {
      await withSession(
        terminal,
        async ({ composition: { app } }) => {
          const document = app.openApi(apiVersion ?? newestOf(app.versions).id);
          terminal.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
        },
        unchecked,
      );
    });

  program
    .command("changelog")
    .description("print what changed from version to version, as Markdown")
    .option("--json", "print { items } as JSON")
    .action(async ({ json }: { json?: boolean }) => {
      await withSession(
        terminal,
        async ({ composition: { app } }) => {
          const { entries } = app.changeLog();
          terminal.stdout.write(json === true ? `${JSON.stringify({ items: entries })}\n` : changeLogMarkdown(entries));
        },
        unchecked,
      );
    });

  program
    .command("deprecations")
    .description("show what will go away, and who still uses it")
    .option("--days <days>", "how many days back (default: 30)")
    .option("--json", "print { items } as JSON")
    .action(async ({ days, json }: { days?: string; json?: boolean }) => {
      await withSession(terminal, async ({ run }) => {
        const query = days === undefined ? {} : { days };
        const { data } = uses.parse(await run({ operation: "admin.deprecations", query }));
        if (json === true) return void terminal.stdout.write(`${JSON.stringify({ items: data })}\n`);
        const rows = data.map(({ id, state, sunset_at: sunset, calls_asked: asked, calls_sent: sent, ...entry }) => {
          const [top] = entry.clients;
          const who = top === undefined ? "" : `${top.client} ${top.agent} ${top.operation} (${top.calls})`;
          const clients = new Set(entry.clients.map(({ client, agent }) => `${client} ${agent}`)).size;
          const last =
            entry.clients
              .map(({ last_used_at: at }) => at)
              .toSorted()
              .at(-1) ?? null;
          return [id, state, sunset, asked, sent, clients, last, entry.safe_to_remove ? "safe to remove" : who];
        });
        const headings = ["item", "state", "sunset", "asked for", "merely sent", "clients", "last call", "top client"];
        terminal.stdout.write(table(headings, rows, terminal.stdout.isTTY === true));
      });
    });
};
