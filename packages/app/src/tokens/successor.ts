import type { Ports, Row } from "@postern/core";
import { timestampOf } from "@postern/core/internal";

/** How long a refresh token that was exchanged gets the same successor again. */
const repeatedMs = 30_000;

export type SuccessorPorts = Pick<Ports, "storage" | "clock" | "secretBox">;

/** The time that all processes share, so that a clock that is wrong ends no session. */
export const sharedTime = async ({ storage, clock }: SuccessorPorts): Promise<number> =>
  (await storage.runners.databaseTime()) ?? clock.now();

const contextOf = (id: string): string => `refresh token of ${id}`;

/** The two refresh tokens of an exchange, in the session or the grant `id`. */
interface Exchange {
  readonly id: string;
  readonly presented: string;
  readonly next: string;
}

/**
 * What a session or a grant stores when its refresh token is exchanged. An answer can be lost, and
 * two programs can refresh at once. So the successor is kept for 30 seconds, encrypted.
 */
export const successorOf = async (ports: SuccessorPorts, { id, presented, next }: Exchange): Promise<Row> => ({
  refresh_digest: await ports.secretBox.digest(next),
  previous_digest: await ports.secretBox.digest(presented),
  successor: await ports.secretBox.seal(next, contextOf(id)),
  successor_until: timestampOf((await sharedTime(ports)) + repeatedMs),
});

/** What a session or a grant stores once its successor is no longer given again. */
export const noSuccessor: Row = { successor: null, successor_until: null };

/**
 * The successor of a refresh token that was exchanged less than 30 seconds ago. `undefined` for any
 * other token, and once the successor was itself exchanged.
 */
export const successorAgain = async (
  ports: SuccessorPorts,
  row: Row,
  presented: string,
): Promise<string | undefined> => {
  const { successor, successor_until, previous_digest } = row;
  if (typeof successor !== "string" || previous_digest !== (await ports.secretBox.digest(presented))) return undefined;
  if (String(successor_until) <= timestampOf(await sharedTime(ports))) return undefined;
  return ports.secretBox.open(successor, contextOf(String(row.id)));
};
