import { AppError, allRows, type Ports, type Row } from "@postern/core";
import { timestampOf } from "@postern/core/internal";
import { challenge, type UserPrincipal } from "@postern/rest";
import { base62, base62OfUuid, numberOfBytes, uuidOfBase62 } from "../base62.ts";
import { apiKey } from "../resources/api-key.ts";
import { user } from "../resources/user.ts";
import type { Settings } from "../settings.ts";
import { roleFields, roleInForce } from "../sign-in/role-in-force.ts";

const idDigits = 22;
const secretDigits = 43;
const checksumDigits = 6;

/**
 * `ak_<id>_<secret><checksum>`: 22 digits of base 62 for the id of the key's row, 43 for 256 random
 * bits, and 6 for a CRC-32 of everything before it. Scanners of published code find the form. The
 * checksum distinguishes a key from a similar text without a request to the server.
 */
const form = new RegExp(
  `^(ak_([0-9A-Za-z]{${idDigits}})_[0-9A-Za-z]{${secretDigits}})([0-9A-Za-z]{${checksumDigits}})$`,
);

/** Whether a bearer credential says that it is an API key. */
export const isKeyText = (token: string): boolean => token.startsWith("ak_");

/** CRC-32 of ASCII as ISO 3309 and zlib have it. */
const checksumOf = (text: string): string => {
  let crc = 0xffffffff;
  for (let at = 0; at < text.length; at += 1) {
    crc ^= text.charCodeAt(at);
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return base62(BigInt((crc ^ 0xffffffff) >>> 0), checksumDigits);
};

/** The key of the row with this id, a UUID. `secret` is 32 random bytes. */
export const keyTextOf = (id: string, secret: Uint8Array): string => {
  const whole = `ak_${base62OfUuid(id)}_${base62(numberOfBytes(secret), secretDigits)}`;
  return whole + checksumOf(whole);
};

/** The id of the row that a key belongs to; `undefined` for a text that cannot be a key. */
export const idInKey = (text: string): string | undefined => {
  const [, whole = "", id = "", checksum] = form.exec(text) ?? [];
  return checksum === undefined || checksum !== checksumOf(whole) ? undefined : uuidOfBase62(id);
};

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
