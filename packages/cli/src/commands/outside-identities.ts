import type { Command } from "commander";
import { addAction } from "../actions.ts";
import { addPages, type Columns, type ItemOf } from "../print-list.ts";
import { requireConfirmed } from "../require-confirmed.ts";
import type { Terminal } from "../terminal.ts";
import { idOfUser } from "./users.ts";

const columns: Columns<ItemOf<"outside-identities.list">> = {
  id: "id",
  issuer: "issuer",
  subject: "subject",
  state: "state",
  linked: "created_at",
};

interface RemoveOptions {
  readonly user: string;
  readonly relink?: boolean;
  readonly yes?: boolean;
}

/** `postern outside-identities …` */
export const addOutsideIdentityCommands = (links: Command, terminal: Terminal): void => {
  const list = links.command("list").description("list the links of a user, oldest first");
  list.requiredOption("--user <email-or-id>", "whose");
  addPages(list, terminal, {
    operation: "outside-identities.list",
    params: async ({ user }: { user: string }, session) => ({ id: await idOfUser(session, user) }),
    columns,
  });

  const remove = links
    .command("remove")
    .description("end a link; tokens of the outside account are refused at once, on every node; asks first")
    .argument("<id>", "which")
    .requiredOption("--user <email-or-id>", "whose")
    .option("--relink", "forget the link, so that the outside account can be linked again")
    .option("--yes", "do not ask");
  addAction(remove, terminal, async (session, id: string, { user, relink, yes }: RemoveOptions) => {
    const call = { operation: "outside-identities.delete" } as const;
    await requireConfirmed(terminal, session, { ...call, params: { id: user, identityId: id } }, yes);
    const params = { id: await idOfUser(session, user), identityId: id };
    const query: Record<string, string> = relink === true ? { relink: "allowed" } : {};
    await session.run({ ...call, params, query });
    const told = relink === true ? ". The outside account can be linked again" : "";
    terminal.stdout.write(`Ended the link ${id} of ${user}${told}.\n`);
  });
};
