import type { Command } from "commander";
import { addAction } from "../actions.ts";
import type { Operations } from "../operations.ts";
import { requireConfirmed } from "../require-confirmed.ts";
import { CommandError, exitCodes, type Terminal } from "../terminal.ts";
import { idOfUser } from "./users.ts";

/** What `revoke` ends. */
export interface Revocable {
  /** Its name in sentences, one and several of it. */
  readonly one: string;
  readonly many: string;
  /** The first word of its operations, `….list` and `….delete`. */
  readonly resource: "api-keys" | "sessions" | "grants";
}

/** The ids of everything of this kind that a user has. */
const idsOf = async ({ run }: Operations, { resource }: Revocable, userId: string): Promise<readonly string[]> => {
  const ids: string[] = [];
  let place: { cursor?: string } = {};
  for (;;) {
    const query = { "filter[user_id]": userId, limit: "100", ...place };
    const { data, page } = await run({ operation: `${resource}.list`, query });
    ids.push(...data.map(({ id }) => id));
    if (page.next_cursor === null) return ids;
    place = { cursor: page.next_cursor };
  }
};

interface RevokeOptions {
  readonly user?: string;
  readonly yes?: boolean;
}

/**
 * `… revoke <id>` and `… revoke --user <email-or-id>`: ends one, or all of a user, at once and on
 * every node.
 */
export const addRevoke = (parent: Command, terminal: Terminal, { one, many, resource }: Revocable): void => {
  const operation = `${resource}.delete` as const;
  const endOne = async (session: Operations, id: string, yes: boolean | undefined): Promise<void> => {
    await requireConfirmed(terminal, session, { operation, params: { id } }, yes);
    await session.run({ operation, params: { id } });
    terminal.stdout.write(`Ended the ${one} ${id}.\n`);
  };
  const endAll = async (session: Operations, user: string, yes: boolean | undefined): Promise<void> => {
    const ids = await idsOf(session, { one, many, resource }, await idOfUser(session, user));
    const number = `${ids.length} ${ids.length === 1 ? one : many} of ${user}`;
    if (ids.length > 0) await requireConfirmed(terminal, session, { operation, params: { id: `(${number})` } }, yes);
    for (const id of ids) {
      await session.run({ operation, params: { id } }).catch((thrown: unknown) => {
        // It has ended in the meantime, which was the aim.
        if (!(thrown instanceof CommandError && thrown.exitCode === exitCodes.notFound)) throw thrown;
      });
    }
    terminal.stdout.write(`Ended ${number}.\n`);
  };
  const revoke = parent
    .command("revoke")
    .description(`end one ${one}, or all of a user, at once and on every node; asks first`)
    .argument("[id]", "which")
    .option("--user <email-or-id>", "all of this user")
    .option("--yes", "do not ask");
  addAction(revoke, terminal, async (session, id: string | undefined, { user, yes }: RevokeOptions) => {
    if (id !== undefined && user === undefined) return endOne(session, id, yes);
    if (id === undefined && user !== undefined) return endAll(session, user, yes);
    throw new CommandError(exitCodes.usage, `Name one ${one} by its id, or a user with --user.`);
  });
};
