import type { Command } from "commander";
import { z } from "zod";
import { type Columns, printPage } from "../print-page.ts";
import { withSession } from "../session.ts";
import { CommandError, exitCodes, isConfirmed, type Terminal } from "../terminal.ts";
import { idOfUser } from "./users.ts";

const shownClient = z.looseObject({
  id: z.string(),
  name: z.string(),
  kind: z.string(),
  user_id: z.string(),
  scopes: z.array(z.string()),
  last_used_at: z.string().nullable(),
});
const newClient = shownClient.extend({ secret: z.string().nullable() });

const columns: Columns<z.infer<typeof shownClient>> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  kind: ({ kind }) => kind,
  user: ({ user_id }) => user_id,
  scopes: ({ scopes }) => scopes.join(" "),
  "last used": ({ last_used_at }) => last_used_at,
};

interface CreateOptions {
  readonly user: string;
  readonly name: string;
  readonly scope: readonly string[];
  readonly redirectUri: readonly string[];
  readonly public?: boolean;
  readonly json?: boolean;
}

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, ...value.split(/[\s,]+/)];

/** The secret on standard output, for a script to keep; what there is to say about it on standard error. */
const printNew = (terminal: Terminal, body: unknown, json: boolean | undefined): void => {
  const made = newClient.parse(body);
  if (json === true) {
    terminal.stdout.write(`${JSON.stringify(made)}\n`);
    return;
  }
  const { id, secret } = made;
  terminal.stderr.write(`Client ${id}. ${secret === null ? "It has no secret." : "Its secret is not shown again:"}\n`);
  terminal.stdout.write(`${secret ?? id}\n`);
};

/** `postern clients …` */
export const addClientCommands = (program: Command, terminal: Terminal): void => {
  const clients = program.command("clients").description("look after the clients of OAuth 2");

  clients
    .command("list")
    .description("list the clients, oldest first")
    .option("--json", "print { items, next } as JSON")
    .action(async ({ json }: { json?: boolean }) => {
      await withSession(terminal, async ({ run }) => {
        printPage(terminal, { item: shownClient, columns, json }, await run({ operation: "admin.clients.list" }));
      });
    });

  clients
    .command("create")
    .description("make a client; its secret is printed this once")
    .requiredOption("--user <email-or-id>", "the account that it acts for with client credentials")
    .requiredOption("--name <name>", "what users see as its name")
    .requiredOption("--scope <scope>", "the most that it can ask for, such as posts:read; several times", collect, [])
    .option("--redirect-uri <uri>", "where users are sent back to; several times", collect, [])
    .option("--public", "an app that cannot keep a secret")
    .option("--json", "print the client as JSON")
    .action(async ({ user, name, scope, redirectUri, json, ...options }: CreateOptions) => {
      await withSession(terminal, async (session) => {
        const kind = options.public === true ? "public" : "confidential";
        const user_id = await idOfUser(session, user);
        const given = { name, kind, user_id, scopes: scope, redirect_uris: redirectUri };
        printNew(terminal, await session.run({ operation: "admin.clients.create", body: given }), json);
      });
    });

  clients
    .command("renew-secret")
    .description("give a client a new secret; the old one ends at once")
    .argument("<id>", "the client's id")
    .option("--json", "print the client as JSON")
    .action(async (id: string, { json }: { json?: boolean }) => {
      await withSession(terminal, async ({ run }) => {
        printNew(terminal, await run({ operation: "admin.clients.renew-secret", params: { id } }), json);
      });
    });

  clients
    .command("remove")
    .description("remove a client; all its tokens end at once, on every node; asks first")
    .argument("<id>", "which")
    .option("--yes", "do not ask")
    .action(async (id: string, { yes }: { yes?: boolean }) => {
      await withSession(terminal, async ({ run }) => {
        if (yes !== true && !(await isConfirmed(terminal, `Remove the client ${id}? This cannot be undone.`))) {
          throw new CommandError(
            exitCodes.notConfirmed,
            "No client was removed; add --yes to do it without being asked.",
          );
        }
        await run({ operation: "admin.clients.delete", params: { id } });
        terminal.stdout.write(`Removed the client ${id}.\n`);
      });
    });
};
