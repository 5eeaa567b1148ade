import type { Command } from "commander";
import { z } from "zod";
import { type Operations, withOperations } from "../session.ts";
import { CommandError, exitCodes, isConfirmed, type Terminal } from "../terminal.ts";
import { idOfUser } from "./users.ts";

/** What `revoke` ends. */
export interface Revocable {
  /** Its name in sentences, one and several of it. */
  readonly one: string;
  readonly many: string;
  /** The first word of its operations, `….list` and `….delete`. */
  readonly resource: "api-keys" | "sessions" | "grants";
}

const idPage = z.object({
  data: z.array(z.looseObject({ id: z.string() })),
  page: z.object({ next_cursor: z.string().nullable() }),
});

/** The ids of everything of this kind that a user has. */
const idsOf = async ({ run }: Operations, { resource }: Revocable, userId: string): Promise<readonly string[]> => {
  const ids: string[] = [];
  let place: { cursor?: string } = {};
  for (;;) {
    const query = { "filter[user_id]": userId, limit: "100", ...place };
    const { data, page } = idPage.parse(await run({ operation: `${resource}.list`, query }));
    ids.push(...data.map(({ id }) => id));
    if (page.next_cursor === null) return ids;
    place = { cursor: page.next_cursor };
  }
};

/** @throws CommandError `notConfirmed` */
const requireConfirmed = async (
  terminal: Terminal,
  { one }: Revocable,
  yes: boolean | undefined,
  question: string,
): Promise<void> => {
  if (yes === true || (await isConfirmed(terminal, `${question} This cannot be undone.`))) return;
  throw new CommandError(exitCodes.notConfirmed, `No ${one} was ended; add --yes to do it without being asked.`);
};

const endOne = async (
  terminal: Terminal,
  session: Operations,
  what: Revocable,
  { id, yes }: { readonly id: string; readonly yes: boolean | undefined },
): Promise<void> => {
  await requireConfirmed(terminal, what, yes, `End the ${what.one} ${id}?`);
  await session.run({ operation: `${what.resource}.delete`, params: { id } });
  terminal.stdout.write(`Ended the ${what.one} ${id}.\n`);
};

const endAll = async (
  terminal: Terminal,
  session: Operations,
  what: Revocable,
  { user, yes }: { readonly user: string; readonly yes: boolean | undefined },
): Promise<void> => {
  const ids = await idsOf(session, what, await idOfUser(session, user));
  const number = `${ids.length} ${ids.length === 1 ? what.one : what.many}`;
  if (ids.length > 0) await requireConfirmed(terminal, what, yes, `End ${number} of ${user}?`);
  for (const id of ids) {
    await session.run({ operation: `${what.resource}.delete`, params: { id } }).catch((thrown: unknown) => {
      // It has ended in the meantime, which was the aim.
      if (!(thrown instanceof CommandError && thrown.exitCode === exitCodes.notFound)) throw thrown;
    });
  }
  terminal.stdout.write(`Ended ${number} of ${user}.\n`);
};

/**
 * `… revoke <id>` and `… revoke --user <email-or-id>`: ends one, or all of a user, at once and on
 * every node.
 */
export const addRevoke = (parent: Command, terminal: Terminal, what: Revocable): void => {
  parent
    .command("revoke")
    .description(`end one ${what.one}, or all of a user, at once and on every node; asks first`)
    .argument("[id]", "which")
    .option("--user <email-or-id>", "all of this user")
    .option("--yes", "do not ask")
    .action(async (id: string | undefined, { user, yes }: { user?: string; yes?: boolean }) => {
      await withOperations(terminal, async (session) => {
        if (id !== undefined && user === undefined) return endOne(terminal, session, what, { id, yes });
        if (id === undefined && user !== undefined) return endAll(terminal, session, what, { user, yes });
        throw new CommandError(exitCodes.usage, `Name one ${what.one} by its id, or a user with --user.`);
      });
    });
};
