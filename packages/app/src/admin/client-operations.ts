import { AppError, allRows, type FieldValue, type Ports, type Row } from "@postern/core";
import { timestampOf, uuidPattern, uuidText } from "@postern/core/parts";
import {
  defineOperation,
  isAdmin,
  listOf,
  marks,
  type Operation,
  type Principal,
  presentPage,
  principalOf,
} from "@postern/rest";
import { z } from "zod";
import { clientKeySet, keysOf, storedKeys } from "../oauth/client-keys.ts";
import {
  type GrantType,
  grantTypes,
  grantTypesFault,
  grantTypesFaultOf,
  grantTypesOf,
  usualGrantTypes,
} from "../oauth/grant-types.ts";
import { randomHex } from "../oauth/random-text.ts";
import { isRedirectUri } from "../oauth/redirect-uri.ts";
import { wordsOf } from "../oauth/scopes.ts";
import { client, mostClientScopes, mostRedirectUris } from "../resources/client.ts";
import { user } from "../resources/user.ts";
import { moment } from "./numeric-ids.ts";

const system = allRows("clients");
/** There are at most this many clients (docs/limits.md). */
const mostClients = 100;

/** The key of RFC 7517, appendix A.1. */
const exampleKey = {
  kty: "EC",
  crv: "P-256",
  x: "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
  y: "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
  kid: "1",
};

/** RFC 6749, section 5.1: secrets must not be cached. */
const noStore = { "cache-control": "no-store" } as const;

const shownClient = z
  .object({
    id: uuidText.meta({ description: "The `client_id` of OAuth 2." }),
    name: z.string(),
    kind: z.enum(["confidential", "public"]),
    user_id: uuidText.meta({ description: "The account that it acts for with client credentials." }),
    scopes: z.array(z.string()),
    redirect_uris: z.array(z.string()),
    grant_types: z.array(z.enum(grantTypes)).meta({ description: "How it may get tokens at `/oauth/token`." }),
    jwks: clientKeySet.nullable().meta({
      description: "Its public keys, if it proves itself with assertions (`private_key_jwt`); null if it has none.",
    }),
    last_used_at: moment
      .nullable()
      .meta({ description: "When it last got a token, to the minute; null if it never did." }),
    created_at: moment,
  })
  .meta({ id: "oauth_client" });

const clientWithSecret = shownClient
  .extend({
    secret: z.string().nullable().meta({
      description:
        "The secret itself. It is shown this once and never again; null for a public client and for one with keys.",
    }),
  })
  .meta({ id: "oauth_client_with_secret" });

/** Its keys in the form of the schema. They were checked when they were stored. */
const presentKeys = ({ jwks }: Row): z.infer<typeof clientKeySet> | null => {
  const keys = keysOf(jwks);
  return keys.length === 0 ? null : { keys: keys.map((key) => ({ ...key, kty: String(key.kty) })) };
};

/** @throws AppError `validation_failed`. */
const acceptedKeys = ({ ports }: ClientParts, given: z.output<typeof clientKeySet>): FieldValue => {
  const stored = storedKeys(ports.jwtVerifier, given);
  if ("fault" in stored) throw invalid("jwks", stored.fault);
  // The keys arrived as JSON and are stored as JSON.
  return { keys: stored.keys } as FieldValue;
};

const present = (row: Row): z.infer<typeof shownClient> => ({
  id: String(row.id),
  name: String(row.name),
  kind: row.kind === "public" ? "public" : "confidential",
  user_id: String(row.user_id),
  scopes: [...wordsOf(row.scopes)],
  redirect_uris: [...wordsOf(row.redirect_uris)],
  grant_types: [...grantTypesOf(row)],
  jwks: presentKeys(row),
  last_used_at: row.last_used_at === null || row.last_used_at === undefined ? null : String(row.last_used_at),
  created_at: String(row.created_at),
});

const invalid = (member: string, detail: string): AppError =>
  new AppError("validation_failed", {
    detail: `${member}: ${detail}.`,
    faults: [{ pointer: `/${member}`, code: "invalid_value", detail }],
  });

const noSuchClient = (): AppError => new AppError("not_found", { detail: "There is no such client." });

/**
 * Only administrators get secrets of clients that act for others: a role of the configuration must
 * not become an administrator that way.
 * @throws AppError `forbidden`.
 */
const requireActingFor = (principal: Principal, userId: string): void => {
  if (isAdmin(principal) || (principal.kind === "user" && principal.userId === userId)) return;
  throw new AppError("forbidden", { detail: "Only administrators make clients that act for others." });
};

/** The dependencies of these operations. */
interface ClientParts {
  readonly ports: Pick<Ports, "storage" | "secretBox" | "randomness" | "ids" | "jwtVerifier">;
  /** Every scope that operations require. */
  readonly scopes: () => readonly string[];
}

/** Grant types as a request names them. */
const chosenGrantTypes = z.array(z.enum(grantTypes)).min(1).max(grantTypes.length);

/** Each once, in one order. */
const sortedTypes = (types: readonly GrantType[]): readonly string[] => [...new Set(types)].toSorted();

const listClients = ({ ports }: ClientParts): Operation =>
  defineOperation({
    id: "admin.clients.list",
    method: "GET",
    path: "/admin/clients",
    access: "admin",
    summary: "List the clients of OAuth 2",
    tag: "admin",
    list: true,
    success: { status: 200, description: "All of them, oldest first.", body: listOf(shownClient) },
    handle: async () => {
      const rows = await ports.storage.resources.list(client, {
        scope: system,
        order: [{ field: "id", direction: "asc" }],
        limit: mostClients,
      });
      const data = rows.map(present);
      return { status: 200, body: presentPage({ data, limit: mostClients, next: null, prev: null }) };
    },
  });

const readClient = ({ ports }: ClientParts): Operation =>
  defineOperation({
    id: "admin.clients.read",
    method: "GET",
    path: "/admin/clients/{id}",
    access: "admin",
    summary: "Read a client of OAuth 2",
    tag: "admin",
    success: { status: 200, description: "The client.", body: shownClient },
    errors: ["not_found"],
    handle: async ({ params: { id = "" } }) => {
      const row = uuidPattern.test(id) ? await ports.storage.resources.find(client, id, system) : undefined;
      if (row === undefined) throw noSuchClient();
      return { status: 200, body: present(row) };
    },
  });

const createClient = (parts: ClientParts): Operation => {
  const { ports, scopes: known } = parts;
  return defineOperation({
    id: "admin.clients.create",
    method: "POST",
    path: "/admin/clients",
    access: "admin",
    // A key could make itself a client with more scopes than it has.
    signIn: true,
    summary: "Make a client of OAuth 2; its secret is shown this once",
    tag: "admin",
    body: z
      .strictObject({
        name: client.fields.name?.schema ?? z.string(),
        kind: z.enum(["confidential", "public"]).default("confidential"),
        user_id: uuidText.meta({ description: "The account that it acts for with client credentials." }),
        scopes: z.array(z.string().max(64)).min(1).max(mostClientScopes),
        redirect_uris: z.array(z.string().max(2_000)).max(mostRedirectUris).default([]).meta({
          description:
            "https URLs; http only for a loopback address; or the scheme of an app. They are compared character by character. A loopback address without a port stands for all its ports.",
        }),
        grant_types: chosenGrantTypes.optional().meta({
          description:
            "How it may get tokens. Without them: `authorization_code` and `refresh_token` for a client with `redirect_uris`, `client_credentials` for one without.",
        }),
        jwks: clientKeySet.optional().meta({
          description: "Public keys with which it proves itself (`private_key_jwt`). It then has no secret.",
        }),
      })
      .meta({
        [marks.example]: {
          name: "reporting",
          user_id: "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
          scopes: ["posts:read"],
          grant_types: ["client_credentials"],
        },
      }),
    // The operation table as a whole decides which scopes exist.
    checkedAfterSchema: ["invalid_value"],
    success: { status: 201, description: "The client.", body: clientWithSecret },
    errors: ["state_conflict"],
    // An answer kept under an idempotency key would show the secret again.
    idempotent: false,
    handle: async (call) => {
      const { name, kind, user_id, scopes, redirect_uris, grant_types, jwks } = call.body;
      requireActingFor(principalOf(call), user_id);
      const unknown = scopes.find((scope) => !known().includes(scope));
      if (unknown !== undefined) throw invalid("scopes", `no operation needs "${unknown}"`);
      if (!redirect_uris.every(isRedirectUri)) {
        throw invalid("redirect_uris", "write https://…, http://127.0.0.1/… or a scheme such as com.example.app:/…");
      }
      if (kind === "public" && redirect_uris.length === 0) throw invalid("redirect_uris", "a public client needs one");
      const registered = { kind, redirectUris: redirect_uris };
      const types = grant_types ?? usualGrantTypes(registered);
      const fault = grantTypesFault(types, registered);
      if (fault !== undefined) throw invalid("grant_types", fault);
      if (kind === "public" && jwks !== undefined) throw invalid("jwks", "a public client cannot keep a private key");
      const keys = jwks === undefined ? null : acceptedKeys(parts, jwks);
      const id = ports.ids.uuid();
      const now = timestampOf(call.now());
      const secret = kind === "public" || keys !== null ? null : `pcs_${randomHex(ports.randomness, 32)}`;
      const row: Row = {
        id,
        user_id,
        name: String(name),
        kind,
        scopes: [...new Set(scopes)].toSorted(),
        redirect_uris: [...new Set(redirect_uris)],
        grant_types: sortedTypes(types),
        secret_digest: secret === null ? null : await ports.secretBox.digest(secret),
        jwks: keys,
        last_used_at: null,
        created_at: now,
        updated_at: now,
      };
      const fields = ["name", "kind", "user_id", "scopes", "redirect_uris", "grant_types"];
      return call.write({ resource: client.name, id, fields }, async ({ resources }) => {
        if ((await resources.find(user, user_id, system, ["id"])) === undefined) {
          throw invalid("user_id", "there is no such user");
        }
        if ((await resources.count(client, { scope: system }, mostClients)) >= mostClients) {
          throw new AppError("state_conflict", { detail: `There are ${mostClients} clients already; remove one.` });
        }
        await resources.insert(client, row);
        const headers = { ...noStore, location: `${call.request.base}/admin/clients/${id}` };
        return { status: 201, headers, body: { ...present(row), secret } };
      });
    },
  });
};

const renewSecret = ({ ports }: ClientParts): Operation =>
  defineOperation({
    id: "admin.clients.renew-secret",
    method: "POST",
    path: "/admin/clients/{id}/secret",
    access: "admin",
    // A key could make itself a client with more scopes than it has.
    signIn: true,
    summary: "Give a client a new secret; the old one ends at once",
    tag: "admin",
    success: { status: 200, description: "The client, with its new secret.", body: clientWithSecret },
    errors: ["not_found", "state_conflict"],
    idempotent: false,
    handle: async (call) => {
      const { id = "" } = call.params;
      const row = uuidPattern.test(id) ? await ports.storage.resources.find(client, id, system) : undefined;
      if (row === undefined) throw noSuchClient();
      requireActingFor(principalOf(call), String(row.user_id));
      if (row.kind === "public") throw new AppError("state_conflict", { detail: "A public client has no secret." });
      if (keysOf(row.jwks).length > 0) {
        throw new AppError("state_conflict", { detail: "This client has keys and no secret; replace its keys." });
      }
      const secret = `pcs_${randomHex(ports.randomness, 32)}`;
      const changes = { secret_digest: await ports.secretBox.digest(secret), updated_at: timestampOf(call.now()) };
      return call.write({ resource: client.name, id, fields: ["secret"] }, async ({ resources }) => {
        if ((await resources.update(client, { id, scope: system }, changes)) !== "done") throw noSuchClient();
        return { status: 200, headers: noStore, body: { ...present(row), secret } };
      });
    },
  });

const replaceKeys = (parts: ClientParts): Operation =>
  defineOperation({
    id: "admin.clients.replace-keys",
    method: "POST",
    path: "/admin/clients/{id}/keys",
    access: "admin",
    // A key could make itself a client with more scopes than it has.
    signIn: true,
    summary: "Replace the public keys of a client; the old ones, or its secret, end at once",
    tag: "admin",
    body: clientKeySet.meta({ [marks.example]: { keys: [exampleKey] } }),
    // Whether a key can be used depends on its numbers, which no schema can check.
    checkedAfterSchema: ["invalid_value"],
    success: { status: 200, description: "The client, with its new keys.", body: shownClient },
    errors: ["not_found", "state_conflict"],
    handle: async (call) => {
      const { id = "" } = call.params;
      const row = uuidPattern.test(id) ? await parts.ports.storage.resources.find(client, id, system) : undefined;
      if (row === undefined) throw noSuchClient();
      requireActingFor(principalOf(call), String(row.user_id));
      if (row.kind === "public") throw new AppError("state_conflict", { detail: "A public client has no keys." });
      const jwks = acceptedKeys(parts, call.body);
      const changes = { jwks, secret_digest: null, updated_at: timestampOf(call.now()) };
      return call.write({ resource: client.name, id, fields: ["jwks"] }, async ({ resources }) => {
        if ((await resources.update(client, { id, scope: system }, changes)) !== "done") throw noSuchClient();
        return { status: 200, body: present({ ...row, ...changes }) };
      });
    },
  });

const replaceGrantTypes = ({ ports }: ClientParts): Operation =>
  defineOperation({
    id: "admin.clients.replace-grant-types",
    method: "PUT",
    path: "/admin/clients/{id}/grant-types",
    access: "admin",
    // A key could open a way that its own scopes do not have.
    signIn: true,
    summary: "Say how a client may get tokens; those that it has stay valid until they expire",
    tag: "admin",
    body: z
      .strictObject({ grant_types: chosenGrantTypes })
      .meta({ [marks.example]: { grant_types: ["client_credentials"] } }),
    // What a client can have, its kind and its redirect URIs say.
    checkedAfterSchema: ["invalid_value"],
    success: { status: 200, description: "The client, with these grant types.", body: shownClient },
    errors: ["not_found"],
    handle: async (call) => {
      const { id = "" } = call.params;
      const { grant_types: types } = call.body;
      const row = uuidPattern.test(id) ? await ports.storage.resources.find(client, id, system) : undefined;
      if (row === undefined) throw noSuchClient();
      requireActingFor(principalOf(call), String(row.user_id));
      const fault = grantTypesFaultOf(types, row);
      if (fault !== undefined) throw invalid("grant_types", fault);
      const changes = { grant_types: sortedTypes(types), updated_at: timestampOf(call.now()) };
      return call.write({ resource: client.name, id, fields: ["grant_types"] }, async ({ resources }) => {
        if ((await resources.update(client, { id, scope: system }, changes)) !== "done") throw noSuchClient();
        return { status: 200, body: present({ ...row, ...changes }) };
      });
    },
  });

const deleteClient = (): Operation =>
  defineOperation({
    id: "admin.clients.delete",
    method: "DELETE",
    path: "/admin/clients/{id}",
    access: "admin",
    summary: "Remove a client; all its tokens end at once",
    tag: "admin",
    success: { status: 204, description: "Its tokens are no longer accepted." },
    errors: ["not_found"],
    handle: async (call) => {
      const { id = "" } = call.params;
      if (!uuidPattern.test(id)) throw noSuchClient();
      return call.write({ resource: client.name, id }, async ({ resources }) => {
        if ((await resources.delete(client, id, system)) !== "done") throw noSuchClient();
        return { status: 204 };
      });
    },
  });

/** The clients of OAuth 2: administrators list, make and remove them. */
export const clientOperations = (parts: ClientParts): readonly Operation[] => [
  listClients(parts),
  createClient(parts),
  readClient(parts),
  renewSecret(parts),
  replaceKeys(parts),
  replaceGrantTypes(parts),
  deleteClient(),
];
