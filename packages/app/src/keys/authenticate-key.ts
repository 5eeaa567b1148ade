import { AppError, allRows, type Ports, type Row } from "@postern/core";
import { timestampOf } from "@postern/core/parts";
import { challenge, type UserPrincipal } from "@postern/rest";
import { apiKey } from "../resources/api-key.ts";
import { user } from "../resources/user.ts";
import type { Settings } from "../settings.ts";
import { roleFields, roleInForce } from "../sign-in/role-in-force.ts";
import { idInKey } from "./key-text.ts";

const system = allRows("authentication");
const keyFields = ["id", "user_id", "scopes", "secret_digest", "expires_at", "last_used_at", "revision"];
/** The last use is written at most this often. */
const notedEveryMs = 60_000;

const refused = (
  code: "invalid_token" | "token_expired" = "invalid_token",
  detail = "This API key is not valid, or no longer valid.",
): AppError => new AppError(code, { detail, headers: challenge("invalid_token") });

/**
 * Finds out who an API key acts for. It reads the key's row for every request. So if any node ends
 * a key, the next request with that key is refused here.
 */
export const keyAuthentication = (
  { storage, secretBox, clock, telemetry }: Pick<Ports, "storage" | "secretBox" | "clock" | "telemetry">,
  settings: Pick<Settings, "adminMfa">,
) => {
  /**
   * Notes the use of a key. Of several requests at the same moment only one writes. A failed write
   * is not repeated.
   */
  const noteUse = async (row: Row, now: number): Promise<void> => {
    const { id, revision } = row;
    const changes = { last_used_at: timestampOf(now) };
    try {
      await storage.resources.update(apiKey, { id: String(id), scope: system }, changes, {
        expectedRevision: Number(revision),
      });
    } catch (thrown) {
      telemetry.log("warn", "the last use of an API key could not be noted", { api_key: String(id) }, thrown);
    }
  };

  /** @throws AppError `invalid_token`, `token_expired`. */
  return async (token: string): Promise<UserPrincipal> => {
    const id = idInKey(token);
    if (id === undefined) throw refused();
    const [row, digest] = await Promise.all([
      storage.resources.find(apiKey, id, system, keyFields),
      secretBox.digest(token),
    ]);
    if (row === undefined || row.secret_digest !== digest) throw refused();
    const userId = String(row.user_id);
    const account = await storage.resources.find(user, userId, system, roleFields);
    if (account === undefined) throw refused();
    const now = clock.now();
    if (row.expires_at !== null && Date.parse(String(row.expires_at)) <= now) {
      throw refused("token_expired", "This API key has expired.");
    }
    const { last_used_at: last } = row;
    const isNoted = typeof last === "string" && now - Date.parse(last) < notedEveryMs;
    if (!isNoted) await noteUse(row, now);
    const scopes = Array.isArray(row.scopes) ? row.scopes.map(String) : [];
    return { kind: "user", userId, ...roleInForce(account, settings), credential: { kind: "api-key", id, scopes } };
  };
};
