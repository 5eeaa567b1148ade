import type { Command } from "commander";
import { type PageLayout, printPage } from "../print-page.ts";
import { withSession } from "../session.ts";
import type { Terminal } from "../terminal.ts";
import { idOfUser } from "./users.ts";

interface ListOptions {
  readonly user?: string;
  readonly limit: string;
  readonly cursor?: string;
  readonly json?: boolean;
}

interface Listed<Shown> extends Omit<PageLayout<Shown>, "json"> {
  /** What they are called: `API keys`. */
  readonly many: string;
  readonly operation: string;
}

/** Adds `list`, which prints a page of things that users have: those of all users, or of one. */
export const addListOfUsers = <Shown>(
  command: Command,
  terminal: Terminal,
  { many, operation, ...shown }: Listed<Shown>,
): void => {
  command
    .command("list")
    .description(`list ${many}, oldest first`)
    .option("--user <email-or-id>", "only those of this user")
    .option("--limit <n>", "1 to 100", "20")
    .option("--cursor <cursor>", "where the page begins")
    .option("--json", "print { items, next } as JSON")
    .action(async ({ user, json, ...page }: ListOptions) => {
      await withSession(terminal, async (session) => {
        const of = user === undefined ? {} : { "filter[user_id]": await idOfUser(session, user) };
        const body = await session.run({ operation, query: { ...page, ...of } });
        printPage(terminal, { ...shown, json }, body);
      });
    });
};
