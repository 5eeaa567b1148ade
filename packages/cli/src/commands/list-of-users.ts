import type { Command } from "commander";
import { addPages, type Columns, type ItemOf } from "../print-list.ts";
import type { Terminal } from "../terminal.ts";
import { idOfUser } from "./users.ts";

/** The lists of what users have. */
type ListId = "api-keys.list" | "grants.list" | "sessions.list";

interface Listed<Id extends ListId> {
  /** What they are called: `API keys`. */
  readonly many: string;
  readonly operation: Id;
  readonly columns: Columns<ItemOf<Id>>;
}

/** Adds `list`, which prints a page of things that users have: those of all users, or of one. */
export const addListOfUsers = <Id extends ListId>(
  command: Command,
  terminal: Terminal,
  { many, operation, columns }: Listed<Id>,
): void => {
  const list = command.command("list").description(`list ${many}, oldest first`);
  addPages(list.option("--user <email-or-id>", "only those of this user"), terminal, {
    operation,
    columns,
    filters: async ({ user }: { user?: string }, session) =>
      user === undefined ? {} : { "filter[user_id]": await idOfUser(session, user) },
  });
};
