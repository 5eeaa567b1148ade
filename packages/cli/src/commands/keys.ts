import type { Command } from "commander";
import { z } from "zod";
import { secondsOf } from "../moment.ts";
import { type Columns, printPage } from "../print-page.ts";
import { withSession } from "../session.ts";
import { CommandError, exitCodes, isConfirmed, type Terminal } from "../terminal.ts";
import { idOfUser } from "./users.ts";

const shownKey = z.looseObject({
  id: z.string(),
  user_id: z.string(),
  name: z.string(),
  scopes: z.array(z.string()),
  expires_at: z.string().nullable(),
  last_used_at: z.string().nullable(),
});
const newKey = shownKey.extend({ key: z.string() });

const columns: Columns<z.infer<typeof shownKey>> = {
  id: ({ id }) => id,
  user: ({ user_id }) => user_id,
  name: ({ name }) => name,
  scopes: ({ scopes }) => scopes.join(" "),
  expires: ({ expires_at }) => expires_at,
  "last used": ({ last_used_at }) => last_used_at,
};

interface CreateOptions {
  readonly user: string;
  readonly name: string;
  readonly scope: readonly string[];
  readonly expires?: string;
  readonly json?: boolean;
}

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, ...value.split(/[\s,]+/)];

/** The key on standard output, for a script to keep; what there is to say about it on standard error. */
const printNew = (terminal: Terminal, body: unknown, json: boolean | undefined): void => {
  const made = newKey.parse(body);
  if (json === true) {
    terminal.stdout.write(`${JSON.stringify(made)}\n`);
    return;
  }
  const until = made.expires_at === null ? "It does not expire." : `It ends at ${made.expires_at}.`;
  terminal.stderr.write(`Made key ${made.id}, good for ${made.scopes.join(" ")}. ${until} It is not shown again:\n`);
  terminal.stdout.write(`${made.key}\n`);
};

/** `postern keys …` */
export const addKeyCommands = (program: Command, terminal: Terminal): void => {
  const keys = program.command("keys").description("look after the API keys of users");

  keys
    .command("list")
    .description("list API keys, oldest first")
    .option("--user <email-or-id>", "only those of this user")
    .option("--limit <n>", "1 to 100", "20")
    .option("--cursor <cursor>", "where the page begins")
    .option("--json", "print { items, next } as JSON")
    .action(async ({ user, json, ...page }: { user?: string; limit: string; cursor?: string; json?: boolean }) => {
      await withSession(terminal, async (session) => {
        const of = user === undefined ? {} : { "filter[user_id]": await idOfUser(session, user) };
        const body = await session.run({ operation: "api-keys.list", query: { ...page, ...of } });
        printPage(terminal, { item: shownKey, columns, json }, body);
      });
    });

  keys
    .command("scopes")
    .description("list what a key can be used for")
    .option("--json", "print { items } as JSON")
    .action(async ({ json }: { json?: boolean }) => {
      await withSession(
        terminal,
        async ({ composition }) => {
          const { scopes } = composition.app;
          const text = json === true ? JSON.stringify({ items: scopes }) : scopes.join("\n");
          terminal.stdout.write(`${text}\n`);
        },
        { checkSchema: false },
      );
    });

  keys
    .command("create")
    .description("make an API key for a user; it is printed this once")
    .requiredOption("--user <email-or-id>", "whose it is")
    .requiredOption("--name <name>", "what it is for")
    .requiredOption("--scope <scope>", "what it can be used for, such as posts:read; several times", collect, [])
    .option("--expires <time>", "when it ends: 90d, or an RFC 3339 time; never unless given")
    .option("--json", "print the key as JSON")
    .action(async ({ user, name, scope, expires, json }: CreateOptions) => {
      await withSession(terminal, async (session) => {
        const expires_at = expires === undefined ? undefined : momentToCome("--expires", expires);
        const body = await session.run({
          operation: "api-keys.create",
          body: { name, scopes: scope, user_id: await idOfUser(session, user), ...(expires_at && { expires_at }) },
        });
        printNew(terminal, body, json);
      });
    });

  keys
    .command("rotate")
    .description("make a key that takes the place of another; the old one stays good for a while")
    .argument("<id>", "the old key's id")
    .option("--overlap <time>", "how long the old one stays good: 30m, 24h, 7d; 0 ends it at once", "24h")
    .option("--json", "print the new key as JSON")
    .action(async (id: string, { overlap, json }: { overlap: string; json?: boolean }) => {
      const overlap_seconds = secondsOf("--overlap", overlap);
      await withSession(terminal, async ({ run }) => {
        printNew(
          terminal,
          await run({ operation: "api-keys.rotate", params: { id }, body: { overlap_seconds } }),
          json,
        );
      });
    });

  keys
    .command("revoke")
    .description("end an API key at once, on every node; asks first")
    .argument("<id>", "which")
    .option("--yes", "do not ask")
    .action(async (id: string, { yes }: { yes?: boolean }) => {
      await withSession(terminal, async ({ run }) => {
        if (yes !== true && !(await isConfirmed(terminal, `End the API key ${id}? This cannot be undone.`))) {
          throw new CommandError(exitCodes.notConfirmed, "No key was ended; add --yes to end it without being asked.");
        }
        await run({ operation: "api-keys.delete", params: { id } });
        terminal.stdout.write(`Ended the API key ${id}.\n`);
      });
    });
};

const momentToCome = (option: string, text: string): string =>
  /^\d{1,7}[smhd]$/.test(text) ? new Date(Date.now() + secondsOf(option, text) * 1000).toISOString() : text;
