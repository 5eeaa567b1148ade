import type { Command } from "commander";
import { type PageOptions, pageOf, withPage } from "../list-query.ts";
import { type ListOutput, type PageLayout, printPage, withListOutput } from "../print-list.ts";
import { withOperations } from "../session.ts";
import type { Terminal } from "../terminal.ts";
import { idOfUser } from "./users.ts";

interface ListOptions extends PageOptions, ListOutput {
  readonly user?: string;
}

interface Listed<Shown> extends PageLayout<Shown> {
  /** What they are called: `API keys`. */
  readonly many: string;
  readonly operation: string;
}

/** Adds `list`, which prints a page of things that users have: those of all users, or of one. */
export const addListOfUsers = <Shown extends object>(
  command: Command,
  terminal: Terminal,
  { many, operation, ...shown }: Listed<Shown>,
): void => {
  const list = command.command("list").description(`list ${many}, oldest first`);
  list.option("--user <email-or-id>", "only those of this user");
  withListOutput(withPage(list)).action(async ({ user, ...options }: ListOptions) => {
    await withOperations(terminal, async (session) => {
      const of = user === undefined ? {} : { "filter[user_id]": await idOfUser(session, user) };
      const body = await session.run({ operation, query: { ...pageOf(options), ...of } });
      printPage(terminal, options, shown, body);
    });
  });
};
