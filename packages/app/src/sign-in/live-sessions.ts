import type { Storage } from "@postern/core";
import { allRows } from "@postern/core";
import type { Watcher } from "@postern/core/internal";
import type { Clock } from "@postern/core/ports";
import { session } from "../resources/session.ts";
import { user } from "../resources/user.ts";
import type { Settings } from "../settings.ts";
import { type RoleInForce, roleFields, roleInForce } from "./role-in-force.ts";

/** The facts about a session and its user that a request needs. */
interface LiveSession {
  readonly userId: string;
  readonly acting: RoleInForce;
  /** When it began and when it ends, in milliseconds since the epoch. */
  readonly signedInAt: number;
  readonly expiresAt: number;
}

export interface LiveSessions {
  /**
   * `undefined` if this user has no such session, or does not exist any more. The caller must check
   * whether the session has expired.
   */
  find(sessionId: string, userId: string): Promise<LiveSession | undefined>;
  /** Tells of changes of sessions and users: the next `find` sees those that it was told of. */
  readonly watcher: Watcher;
}

interface Remembered {
  readonly session: LiveSession;
  /** On the monotonic clock. */
  readonly readAt: number;
}

const remembersAtMost = 10_000;

const system = allRows("authentication");
const sessionFields = ["user_id", "expires_at", "created_at"];

/**
 * The sessions of incoming requests. Each is read at most once in `sessionsReliedOnMs`
 * milliseconds, not for every request (docs/performance/rest.md). Only a change by another process can
 * go unnoticed, for no longer than that.
 */
export const liveSessions = (
  { clock, storage }: { readonly clock: Clock; readonly storage: Storage },
  settings: Pick<Settings, "sessionsReliedOnMs" | "adminMfa">,
): LiveSessions => {
  const remembered = new Map<string, Remembered>();
  let changes = 0;

  const read = async (sessionId: string, userId: string): Promise<LiveSession | undefined> => {
    const [row, account] = await Promise.all([
      storage.resources.find(session, sessionId, system, sessionFields),
      storage.resources.find(user, userId, system, roleFields),
    ]);
    if (row?.user_id !== userId || account === undefined) return undefined;
    return {
      userId,
      acting: roleInForce(account, settings),
      signedInAt: Date.parse(String(row.created_at)),
      expiresAt: Date.parse(String(row.expires_at)),
    };
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
    watcher: {
      resources: new Set([session.name, user.name]),
      changed: () => {
        changes += 1;
        remembered.clear();
      },
    },
    find: async (sessionId, userId) => {
      const now = clock.monotonic();
      const known = remembered.get(sessionId);
      if (known?.session.userId === userId && now - known.readAt < settings.sessionsReliedOnMs) return known.session;
      const before = changes;
      const found = await read(sessionId, userId);
      // A session that was read during a change may be as it was before.
      if (found !== undefined && changes === before) remember(sessionId, { session: found, readAt: now });
      return found;
    },
  };
};
