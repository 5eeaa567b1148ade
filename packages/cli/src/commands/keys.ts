import type { Command } from "commander";
import { addCall, endsAtOnce, printAnswer } from "../actions.ts";
import { momentToCome, secondsOf } from "../moment.ts";
import type { AnswerOf } from "../operations.ts";
import type { Columns, ItemOf } from "../print-list.ts";
import { withOperations, withUncheckedSession } from "../session.ts";
import { severalWords } from "../several-words.ts";
import type { Terminal } from "../terminal.ts";
import { addListOfUsers } from "./list-of-users.ts";
import { addRevoke } from "./revoke.ts";
import { idOfUser } from "./users.ts";

const columns: Columns<ItemOf<"api-keys.list">> = {
  id: "id",
  user: "user_id",
  name: "name",
  scopes: ({ scopes }) => scopes.join(" "),
  expires: "expires_at",
  "last used": "last_used_at",
};

interface CreateOptions {
  readonly user: string;
  readonly name: string;
  readonly scope: readonly string[];
  readonly expires?: string;
  readonly json?: boolean;
}

/**
 * Prints the key to standard output, where a script can store it, and the explanation to standard
 * error.
 */
const printNew = (terminal: Terminal, made: AnswerOf<"api-keys.create">): void => {
  const until = made.expires_at === null ? "It does not expire." : `It ends at ${made.expires_at}.`;
  terminal.stderr.write(`Made key ${made.id}, good for ${made.scopes.join(" ")}. ${until} It is not shown again:\n`);
  terminal.stdout.write(`${made.key}\n`);
};

/** `postern keys …` */
export const addKeyCommands = (keys: Command, terminal: Terminal): void => {
  addListOfUsers(keys, terminal, { many: "API keys", operation: "api-keys.list", columns });

  keys
    .command("scopes")
    .description("list the scopes that a key can have")
    .option("--json", "print { items } as JSON")
    .action(async ({ json }: { json?: boolean }) => {
      await withUncheckedSession(terminal, async ({ composition }) => {
        const { scopes } = composition.app;
        const text = json === true ? JSON.stringify({ items: scopes }) : scopes.join("\n");
        terminal.stdout.write(`${text}\n`);
      });
    });

  keys
    .command("create")
    .description("make an API key for a user; it is printed this once")
    .requiredOption("--user <email-or-id>", "whose it is")
    .requiredOption("--name <name>", "what the key is for")
    .requiredOption("--scope <scope>", "a scope of the key, such as posts:read; several times", severalWords)
    .option("--expires <time>", "when it ends: 90d, or an RFC 3339 time, as late as you like (default: never)")
    .option("--json", "print the key as JSON")
    .action(async ({ user, name, scope, expires, json }: CreateOptions) => {
      await withOperations(terminal, async (session) => {
        const expires_at = expires === undefined ? undefined : momentToCome("--expires", expires);
        const made = await session.run({
          operation: "api-keys.create",
          body: { name, scopes: scope, user_id: await idOfUser(session, user), ...(expires_at && { expires_at }) },
        });
        printAnswer(terminal, made, json, (one) => printNew(terminal, one));
      });
    });

  const rotate = keys
    .command("rotate")
    .description("make a key that replaces another; the old one stays valid for a while")
    .argument("<id>", "the old key's id")
    .option("--overlap <time>", "how long the old one stays valid: 30m, 24h, 7d; 0 ends it at once, and asks", "24h");
  addCall(rotate, terminal, {
    call: (id: string, { overlap }: { overlap: string }) => ({
      operation: "api-keys.rotate",
      params: { id },
      body: { overlap_seconds: secondsOf("--overlap", overlap) },
    }),
    tell: (made) => printNew(terminal, made),
    yes: "do not ask",
    asks: endsAtOnce,
    json: "the new key",
  });

  addRevoke(keys, terminal, { one: "API key", many: "API keys", resource: "api-keys" });
};
