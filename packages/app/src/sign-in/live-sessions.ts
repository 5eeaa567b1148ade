import type { Clock, Storage } from "@postern/core";
import { allRows } from "@postern/core";
import type { Role } from "@postern/rest";
import { session } from "../resources/session.ts";
import { user } from "../resources/user.ts";
import { watchedStorage } from "./session-invalidation.ts";

/** What a request needs to know of a session and its user. */
interface LiveSession {
  readonly userId: string;
  readonly role: Role;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

export interface LiveSessions {
  /** `undefined` when there is no such session of this user, or no such user, any more. Whether it has expired is for the caller to see. */
  find(sessionId: string, userId: string): Promise<LiveSession | undefined>;
  /** The storage to write through: a change of a session or a user made here holds for the next `find`. */
  readonly storage: Storage;
}

interface Remembered {
  readonly session: LiveSession;
  /** On the clock that nobody can set. */
  readonly readAt: number;
}

const remembersAtMost = 10_000;

const system = allRows("authentication");
const sessionFields = ["user_id", "expires_at"];
const userFields = ["role"];

/**
 * The sessions of the requests that come in, each read once in `reliedOnMs` and not for every request (ADR 22). Only a change made by another process
 * can go unnoticed, and for no longer than that.
 */
export const liveSessions = (
  { clock, storage }: { readonly clock: Clock; readonly storage: Storage },
  reliedOnMs: number,
): LiveSessions => {
  const remembered = new Map<string, Remembered>();
  let changes = 0;

  const read = async (sessionId: string, userId: string): Promise<LiveSession | undefined> => {
    const [row, account] = await Promise.all([
      storage.resources.find(session, sessionId, system, sessionFields),
      storage.resources.find(user, userId, system, userFields),
    ]);
    if (row?.user_id !== userId || account === undefined) return undefined;
    const expiresAt = Date.parse(String(row.expires_at));
    return { userId, role: account.role === "admin" ? "admin" : "user", expiresAt };
  };

  const remember = (sessionId: string, entry: Remembered): void => {
    remembered.delete(sessionId);
    remembered.set(sessionId, entry);
    if (remembered.size <= remembersAtMost) return;
    for (const oldest of remembered.keys()) {
      remembered.delete(oldest);
      return;
    }
  };

  return {
    storage: watchedStorage(storage, [session, user], () => {
      changes += 1;
      remembered.clear();
    }),
    find: async (sessionId, userId) => {
      const now = clock.monotonic();
      const known = remembered.get(sessionId);
      if (known?.session.userId === userId && now - known.readAt < reliedOnMs) return known.session;
      const before = changes;
      const found = await read(sessionId, userId);
      // What was read while a change was made may be what stood before it.
      if (found !== undefined && changes === before) remember(sessionId, { session: found, readAt: now });
      return found;
    },
  };
};
