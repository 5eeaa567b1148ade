import { builtInDeprecations } from "@postern/app";
import { changeLogMarkdown, newestOf } from "@postern/rest";
import type { Command } from "commander";
import { withOperations, withUncheckedSession } from "../session.ts";
import { printTable } from "../table.ts";
import type { Terminal } from "../terminal.ts";

const builtIn: ReadonlySet<string> = new Set(builtInDeprecations.map(({ id }) => id));

/** `postern openapi` */
export const addOpenApiCommand = (openapi: Command, terminal: Terminal): void => {
  openapi
    .option("--api-version <version>", "the version (default: the newest)")
    .option("--json", "changes nothing: the document is JSON")
    .action(async ({ apiVersion }: { apiVersion?: string }) => {
      await withUncheckedSession(terminal, async ({ composition: { app } }) => {
        const document = app.openApi(apiVersion ?? newestOf(app.versions).id);
        terminal.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
      });
    });
};

/** `postern changelog` */
export const addChangeLogCommand = (changelog: Command, terminal: Terminal): void => {
  changelog.option("--json", "print { items } as JSON").action(async ({ json }: { json?: boolean }) => {
    await withUncheckedSession(terminal, async ({ composition: { app } }) => {
      const { entries } = app.changeLog();
      terminal.stdout.write(json === true ? `${JSON.stringify({ items: entries })}\n` : changeLogMarkdown(entries));
    });
  });
};

/** `postern deprecations` */
export const addDeprecationsCommand = (deprecations: Command, terminal: Terminal): void => {
  deprecations
    .option("--days <days>", "how many days back (default: 30)")
    .option("--all", "also what is built in and unused")
    .option("--json", "print { items } as JSON, always all")
    .action(async ({ days, all, json }: { days?: string; all?: boolean; json?: boolean }) => {
      await withOperations(terminal, async ({ run }) => {
        const query = days === undefined ? {} : { days };
        const found = await run({ operation: "admin.deprecations", query });
        // What is in use comes first.
        const data = found.data.toSorted((left, right) => right.calls - left.calls);
        if (json === true) return void terminal.stdout.write(`${JSON.stringify({ items: data })}\n`);
        const shown = data.filter(({ id, calls }) => all === true || calls > 0 || !builtIn.has(id));
        const rows = shown.map(({ id, state, sunset_at: sunset, calls_asked: asked, calls_sent: sent, ...entry }) => {
          const [top] = entry.clients;
          const unused = entry.safe_to_remove ? "safe to remove" : `watched until ${entry.safe_from.slice(0, 10)}`;
          const who = top === undefined ? unused : `${top.client} ${top.agent} ${top.operation} (${top.calls})`;
          const clients = new Set(entry.clients.map(({ client, agent }) => `${client} ${agent}`)).size;
          const last =
            entry.clients
              .map(({ last_used_at: at }) => at)
              .toSorted()
              .at(-1) ?? null;
          return [id, state, sunset, asked, sent, clients, last, who];
        });
        const headings = ["item", "state", "sunset", "asked for", "merely sent", "clients", "last call", "top client"];
        printTable(terminal, headings, rows);
        const hidden = data.length - shown.length;
        if (hidden > 0) terminal.stderr.write(`${hidden} built-in and unused: --all shows them\n`);
      });
    });
};
