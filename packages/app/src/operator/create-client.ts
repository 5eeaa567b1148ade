import { AppError, type FieldValue, type ResourceRepository, type Row } from "@postern/core";
import { timestampOf, uuidText } from "@postern/core/internal";
import { marks, type Operation, principalOf } from "@postern/rest";
import { z } from "zod";
import { adminOperation } from "../admin-operation.ts";
import { invalid } from "../invalid-value.ts";
import { clientKeySet } from "../oauth/client-keys.ts";
import { type GrantType, grantTypesFault, usualGrantTypes } from "../oauth/grant-types.ts";
import { isRedirectUri } from "../oauth/redirect-uri.ts";
import { client, mostClientScopes, mostRedirectUris } from "../resources/client.ts";
import { user } from "../resources/user.ts";
import {
  acceptedKeys,
  allClients,
  type ClientParts,
  chosenGrantTypes,
  mostClients,
  newSecret,
  noStore,
  present,
  requireActingFor,
  sortedTypes,
} from "./client-answers.ts";
import { clientWithSecret } from "./wire/client.ts";

/** What a request may say about a new client. */
const newClient = z
  .strictObject({
    name: client.fields.name?.schema ?? z.string(),
    kind: z.enum(["confidential", "public"]).default("confidential"),
    user_id: uuidText.meta({ description: "The account that it acts for with client credentials." }),
    scopes: z.array(z.string().max(64)).min(1).max(mostClientScopes),
    redirect_uris: z.array(z.string().max(2_000)).max(mostRedirectUris).default([]).meta({
      description:
        "https URLs; http only for a loopback address or `localhost`; or the scheme of an app. They are compared character by character. A loopback address or `localhost` without a port stands for all its ports.",
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
  });

type NewClient = z.output<typeof newClient>;

/**
 * The grant types and keys of a new client, checked.
 * @throws AppError `validation_failed`.
 */
const acceptedClient = (
  parts: ClientParts,
  { kind, scopes, redirect_uris, grant_types, jwks }: NewClient,
): { readonly types: readonly GrantType[]; readonly keys: FieldValue } => {
  const known = parts.scopes();
  const unknown = scopes.find((scope) => !known.includes(scope));
  if (unknown !== undefined) throw invalid("scopes", `no operation needs "${unknown}"`);
  if (!redirect_uris.every(isRedirectUri)) {
    throw invalid(
      "redirect_uris",
      "write https://…, http://127.0.0.1/…, http://localhost/… or a scheme such as com.example.app:/…",
    );
  }
  if (kind === "public" && redirect_uris.length === 0) throw invalid("redirect_uris", "a public client needs one");
  const registered = { kind, redirectUris: redirect_uris };
  const types = grant_types ?? usualGrantTypes(registered);
  const fault = grantTypesFault(types, registered);
  if (fault !== undefined) throw invalid("grant_types", fault);
  if (kind === "public" && jwks !== undefined) throw invalid("jwks", "a public client cannot keep a private key");
  return { types, keys: jwks === undefined ? null : acceptedKeys(parts, jwks) };
};

/** @throws AppError `validation_failed`, `state_conflict`. */
const requireUserAndFewerClients = async (resources: ResourceRepository, userId: string): Promise<void> => {
  if ((await resources.find(user, userId, allClients, ["id"])) === undefined) {
    throw invalid("user_id", "there is no such user");
  }
  if ((await resources.count(client, { scope: allClients }, mostClients)) >= mostClients) {
    throw new AppError("state_conflict", { detail: `There are ${mostClients} clients already; remove one.` });
  }
};

/** `admin.clients.create`. */
export const createClient = (parts: ClientParts): Operation => {
  const { ports } = parts;
  return adminOperation({
    id: "admin.clients.create",
    method: "POST",
    path: "/admin/clients",
    // A key could make itself a client with more scopes than it has.
    signIn: true,
    summary: "Make a client of OAuth 2; its secret is shown this once",
    body: newClient,
    // The operation table as a whole decides which scopes exist.
    checkedAfterSchema: ["invalid_value"],
    success: { status: 201, description: "The client.", body: clientWithSecret },
    errors: ["state_conflict"],
    handle: async (call) => {
      const { name, kind, user_id, scopes, redirect_uris } = call.body;
      requireActingFor(principalOf(call), user_id);
      const { types, keys } = acceptedClient(parts, call.body);
      const id = ports.ids.uuid();
      const now = timestampOf(call.now());
      const secret = kind === "public" || keys !== null ? null : newSecret(parts);
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
        await requireUserAndFewerClients(resources, user_id);
        await resources.insert(client, row);
        const headers = { ...noStore, location: `${call.request.base}/admin/clients/${id}` };
        return { status: 201, headers, body: { ...present(row), secret } };
      });
    },
  });
};
