import { AppError, allRows, equals, type Ports, type Row, type Stores } from "@postern/core";
import { instantText, timestampOf, uuidPattern, uuidText } from "@postern/core/internal";
import {
  alwaysShown,
  challenge,
  type EngineCall,
  isAdmin,
  marks,
  type Operation,
  type OperationAnswer,
  principalOf,
  rowSchema,
  scopeFor,
  tableEntry,
} from "@postern/rest";
import { z } from "zod";
import { type AccountMail, enqueuing } from "../account/account-mail.ts";
import { invalid } from "../invalid-value.ts";
import { apiKey } from "../resources/api-key.ts";
import { session } from "../resources/session.ts";
import { user } from "../resources/user.ts";
import { currentPassword, requirePresence } from "../sign-in/recent-sign-in.ts";
import { keyTextOf } from "./authenticate-key.ts";

const system = allRows("API keys");
const daySeconds = 24 * 3600;
/**
 * The API keys that a user has at once: one for each of their programs. Programs that act for others
 * are clients of OAuth 2.
 */
const mostKeys = 50;

/** RFC 6749, section 5.1: secrets must not be cached. */
const noStore = { "cache-control": "no-store" } as const;

const noSuchKey = (): AppError => new AppError("not_found", { detail: "There is no such API key." });

const expiry = instantText.nullable().meta({ description: "When it ends; null if it does not end." });

const keyWithSecret = rowSchema(apiKey)
  .extend({
    key: z.string().meta({
      description: "The key itself. It is shown this once and never again.",
      examples: ["ak_2zX7mVqN4bKcY9RtWfLhJd_5sPgT8uEoA1iQwZnBxMvCrD3kHyLfGjS6pXqTaUeV2mNb"],
    }),
  })
  .meta({ id: "api_key_with_secret", [marks.always]: [...alwaysShown(apiKey), "key"] });

/** A key as answers show it, with nothing about its secret. */
const presentKey = (row: Row) =>
  Object.fromEntries(
    Object.entries(apiKey.fields).flatMap(([name, { read }]) => (read === "nobody" ? [] : [[name, row[name] ?? null]])),
  );

/** A time in the future. @throws AppError `validation_failed` */
const checkExpiry = (text: string | null | undefined, now: number): void => {
  if (typeof text === "string" && Date.parse(text) <= now) throw invalid("expires_at", "this moment has passed");
};

/** The dependencies of these operations. */
export interface KeyParts {
  readonly ports: Pick<Ports, "storage" | "passwordHasher" | "secretBox" | "randomness" | "ids" | "wakeup" | "alerts">;
  readonly mail: AccountMail;
  /** Every scope that operations require. Called when a key is made. */
  readonly scopes: () => readonly string[];
}

interface NewKey {
  readonly userId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAt: string | null;
}

/** A new key: its row, and the answer that shows it once. */
const makeKey = async (ports: KeyParts["ports"], call: EngineCall, { userId, name, scopes, expiresAt }: NewKey) => {
  const id = ports.ids.uuid();
  const now = timestampOf(call.now());
  const key = keyTextOf(id, ports.randomness.bytes(32));
  const row: Row = {
    id,
    user_id: userId,
    name,
    scopes,
    secret_digest: await ports.secretBox.digest(key),
    expires_at: expiresAt,
    last_used_at: null,
    created_at: now,
    updated_at: now,
  };
  const answer: OperationAnswer = {
    status: 201,
    headers: { ...noStore, location: `${call.request.base}/${apiKey.plural}/${id}` },
    body: { ...presentKey(row), key },
  };
  return { id, row, answer };
};

/**
 * Makes sure that the session of a request still exists. If a new password ends sessions and keys
 * at the same moment, no new key may remain.
 * @throws AppError `invalid_token`
 */
const requireLiveSession = async ({ resources }: Pick<Stores, "resources">, call: EngineCall): Promise<void> => {
  const principal = principalOf(call);
  if (principal.kind !== "user" || principal.credential.kind !== "session") return;
  if ((await resources.find(session, principal.credential.id, system, ["id"])) !== undefined) return;
  throw new AppError("invalid_token", { detail: "The session has ended.", headers: challenge("invalid_token") });
};

/**
 * Stores a key, unless its user has too many. The user's row is locked, so that keys that are made
 * at the same moment are counted one after the other.
 * @throws AppError `state_conflict`, `not_found`, `invalid_token`.
 */
const storeKey = async (stores: Pick<Stores, "resources">, call: EngineCall, row: Row): Promise<void> => {
  const { resources } = stores;
  const { user_id } = row;
  const held = await resources.hold(user, { scope: system, where: equals("id", String(user_id)) }, 1);
  if (held.length === 0) throw new AppError("not_found", { detail: "There is no such user." });
  await requireLiveSession(stores, call);
  const count = await resources.count(apiKey, { scope: system, where: equals("user_id", String(user_id)) }, mostKeys);
  if (count >= mostKeys) {
    throw new AppError("state_conflict", { detail: `A user has at most ${mostKeys} API keys; end one first.` });
  }
  await resources.insert(apiKey, row);
};

const createKey = ({ ports, mail, scopes: known }: KeyParts): Operation =>
  tableEntry({
    id: "api-keys.create",
    method: "POST",
    path: "/api-keys",
    access: "user",
    signIn: true,
    summary: "Make an API key; it is shown this once",
    tag: "api-keys",
    body: z
      .strictObject({
        name: apiKey.fields.name?.schema ?? z.string(),
        scopes: z
          .array(z.string().max(64))
          .min(1)
          .max(100)
          .meta({
            description: "The scopes of the key; each operation names the scope that it needs.",
            examples: [["posts:read"]],
          }),
        expires_at: expiry.optional(),
        user_id: uuidText
          .optional()
          .meta({ description: "The owner of the key. Default: you. Only administrators make keys for others." }),
        current_password: currentPassword,
      })
      .meta({ [marks.example]: { name: "nightly export", scopes: ["posts:read"] } }),
    // The operation table as a whole decides which scopes exist.
    checkedAfterSchema: ["invalid_value"],
    success: { status: 201, description: "The key.", body: keyWithSecret },
    errors: ["state_conflict", "not_found", "sign_in_too_old", "invalid_credentials", "overloaded"],
    handle: async (call) => {
      const principal = principalOf(call);
      const { name, scopes, expires_at = null, user_id, current_password } = call.body;
      await requirePresence(ports, call, current_password);
      const own = principal.kind === "user" ? principal.userId : undefined;
      const userId = user_id ?? own;
      if (userId === undefined) throw invalid("user_id", "say whose key it is");
      if (userId !== own && !isAdmin(principal)) {
        throw new AppError("forbidden", { detail: "Only administrators make keys for others." });
      }
      checkExpiry(expires_at, call.now());
      const unknown = scopes.find((scope) => !known().includes(scope));
      if (unknown !== undefined) {
        throw invalid("scopes", `no operation needs "${unknown}"; there are ${known().join(", ")}`);
      }
      const made = await makeKey(ports, call, {
        userId,
        name: String(name),
        scopes: [...new Set(scopes)].toSorted(),
        expiresAt: expires_at,
      });
      const fields = ["name", "scopes", "expires_at"];
      const notices = await mail.noticesFor(call, userId, ["key made"]);
      const telling = enqueuing(call, ports, async () => notices);
      return telling.write({ resource: apiKey.name, id: made.id, fields }, async (stores) => {
        await storeKey(stores, call, made.row);
        return made.answer;
      });
    },
  });

const rotateKey = ({ ports, mail }: KeyParts): Operation =>
  tableEntry({
    id: "api-keys.rotate",
    method: "POST",
    path: "/api-keys/{id}/rotate",
    access: "user",
    signIn: true,
    summary: "Make a key that replaces another; the old key stays valid for a while",
    confirm:
      "Put a new key in the place of the API key {id}? The old one ends when the overlap is over; without one, whatever uses it is refused at once.",
    tag: "api-keys",
    body: z
      .strictObject({
        overlap_seconds: z
          .int()
          .min(0)
          .max(90 * daySeconds)
          .default(daySeconds)
          .meta({ description: "How long the old key stays valid. Default: a day; 0 ends it at once." }),
        expires_at: expiry
          .optional()
          .meta({ description: "When the new key ends. Default: it lives as long as the old key was meant to." }),
        current_password: currentPassword,
      })
      .meta({ [marks.example]: { overlap_seconds: 3600 } }),
    bodyOptional: true,
    success: {
      status: 201,
      description: "The new key, with the name and the scopes of the old one.",
      body: keyWithSecret,
    },
    checkedAfterSchema: ["invalid_value"],
    errors: ["state_conflict", "not_found", "sign_in_too_old", "invalid_credentials", "overloaded"],
    handle: async (call) => {
      const { overlap_seconds, current_password } = call.body;
      const now = call.now();
      const { id = "" } = call.params;
      const scope = scopeFor(principalOf(call), apiKey.access.update);
      const old = uuidPattern.test(id) ? await ports.storage.resources.find(apiKey, id, scope) : undefined;
      if (old === undefined) throw noSuchKey();
      await requirePresence(ports, call, current_password);
      const { user_id, name, scopes, expires_at, created_at } = old;
      const lifeMs = Date.parse(String(expires_at)) - Date.parse(String(created_at));
      const sameLife = expires_at === null ? null : timestampOf(now + lifeMs);
      const expiresAt = call.body.expires_at === undefined ? sameLife : call.body.expires_at;
      checkExpiry(expiresAt, now);
      const made = await makeKey(ports, call, {
        userId: String(user_id),
        name: String(name),
        scopes: Array.isArray(scopes) ? scopes.map(String) : [],
        expiresAt,
      });
      const until = timestampOf(now + overlap_seconds * 1000);
      const endsAt = typeof expires_at === "string" && expires_at < until ? expires_at : until;
      const notices = await mail.noticesFor(call, String(user_id), ["key replaced"]);
      const telling = enqueuing(call, ports, async () => notices);
      return telling.write({ resource: apiKey.name, id, fields: ["key"] }, async (stores) => {
        await storeKey(stores, call, made.row);
        const changes = { expires_at: endsAt, updated_at: timestampOf(now) };
        if ((await stores.resources.update(apiKey, { id, scope }, changes)) !== "done") throw noSuchKey();
        return made.answer;
      });
    },
  });

const deleteKey = ({ ports, mail }: KeyParts): Operation =>
  tableEntry({
    id: "api-keys.delete",
    method: "DELETE",
    path: "/api-keys/{id}",
    access: "user",
    summary: "End an API key at once",
    confirm: "End the API key {id}? Whatever uses it is refused at once. This cannot be undone.",
    tag: "api-keys",
    success: { status: 204, description: "The key is refused from now on." },
    errors: ["not_found"],
    handle: async (call) => {
      const { id = "" } = call.params;
      if (!uuidPattern.test(id)) throw noSuchKey();
      const scope = scopeFor(principalOf(call), apiKey.access.delete);
      const ending = await ports.storage.resources.find(apiKey, id, scope, ["user_id"]);
      if (ending === undefined) throw noSuchKey();
      const notices = await mail.noticesFor(call, String(ending.user_id), ["key ended"]);
      const telling = enqueuing(call, ports, async () => notices);
      return telling.write({ resource: apiKey.name, id }, async ({ resources }) => {
        const result = await resources.delete(apiKey, id, scope);
        if (result !== "done") throw noSuchKey();
        return { status: 204 };
      });
    },
  });

/**
 * The operations on API keys beyond the standard list and read: make a key, replace it with an
 * overlap, end it at once.
 */
export const keyOperations = (parts: KeyParts): readonly Operation[] => [
  createKey(parts),
  rotateKey(parts),
  deleteKey(parts),
];
