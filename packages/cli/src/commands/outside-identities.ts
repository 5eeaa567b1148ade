import type { Command } from "commander";
import { type PageOptions, pageOf, withPage } from "../list-query.ts";
import { type Columns, type ItemOf, type ListOutput, printPage, withListOutput } from "../print-list.ts";
import { requireConfirmed } from "../require-confirmed.ts";
import { withOperations } from "../session.ts";
import type { Terminal } from "../terminal.ts";
import { idOfUser } from "./users.ts";

const columns: Columns<ItemOf<"outside-identities.list">> = {
  id: "id",
  issuer: "issuer",
  subject: "subject",
  state: "state",
  linked: "created_at",
};

interface ListOptions extends PageOptions, ListOutput {
  readonly user: string;
}

interface RemoveOptions {
  readonly user: string;
  readonly relink?: boolean;
  readonly yes?: boolean;
}

/** `postern outside-identities …` */
export const addOutsideIdentityCommands = (links: Command, terminal: Terminal): void => {
  const list = links.command("list").description("list the links of a user, oldest first");
  list.requiredOption("--user <email-or-id>", "whose");
  withListOutput(withPage(list)).action(async ({ user, ...options }: ListOptions) => {
    await withOperations(terminal, async (session) => {
      const params = { id: await idOfUser(session, user) };
      const body = await session.run({ operation: "outside-identities.list", params, query: pageOf(options) });
      printPage(terminal, options, columns, body);
    });
  });

  links
    .command("remove")
    .description("end a link; tokens of the outside account are refused at once, on every node; asks first")
    .argument("<id>", "which")
    .requiredOption("--user <email-or-id>", "whose")
    .option("--relink", "forget the link, so that the outside account can be linked again")
    .option("--yes", "do not ask")
    .action(async (id: string, { user, relink, yes }: RemoveOptions) => {
      await withOperations(terminal, async (session) => {
        const call = { operation: "outside-identities.delete" } as const;
        await requireConfirmed(terminal, session, { ...call, params: { id: user, identityId: id } }, yes);
        const params = { id: await idOfUser(session, user), identityId: id };
        const query: Record<string, string> = relink === true ? { relink: "allowed" } : {};
        await session.run({ ...call, params, query });
        const told = relink === true ? ". The outside account can be linked again" : "";
        terminal.stdout.write(`Ended the link ${id} of ${user}${told}.\n`);
      });
    });
};
