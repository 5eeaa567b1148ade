import { AppError, equals, type ResourceRepository, type Row } from "@postern/core";
import { timestampOf, uuidPattern } from "@postern/core/internal";
import { listOf, marks, type Operation, presentPage, principalOf } from "@postern/rest";
import { z } from "zod";
import { adminOperation } from "../admin-operation.ts";
import { invalid } from "../invalid-value.ts";
import { clientKeySet, keysOf } from "../oauth/client-keys.ts";
import { grantTypesFaultOf } from "../oauth/grant-types.ts";
import { client } from "../resources/client.ts";
import { outsideIdentity } from "../resources/outside-identity.ts";
import {
  acceptedKeys,
  allClients,
  type ClientParts,
  chosenGrantTypes,
  clientOf,
  mostClients,
  newSecret,
  noStore,
  noSuchClient,
  present,
  requireActingFor,
  sortedTypes,
} from "./client-answers.ts";
import { createClient } from "./create-client.ts";
import { clientWithSecret, shownClient } from "./wire/client.ts";

/** Changes a client within the transaction of a request. @throws AppError `not_found`. */
const changeClient = async (resources: ResourceRepository, id: string, changes: Row): Promise<void> => {
  if ((await resources.update(client, { id, scope: allClients }, changes)) !== "done") throw noSuchClient();
};

const listClients = ({ ports }: ClientParts): Operation =>
  adminOperation({
    id: "admin.clients.list",
    method: "GET",
    path: "/admin/clients",
    summary: "List the clients of OAuth 2",
    list: true,
    success: { status: 200, description: "All of them, oldest first.", body: listOf(shownClient) },
    handle: async () => {
      const rows = await ports.storage.resources.list(client, {
        scope: allClients,
        order: [{ field: "id", direction: "asc" }],
        limit: mostClients,
      });
      const data = rows.map(present);
      return { status: 200, body: presentPage({ data, limit: mostClients, next: null, prev: null }) };
    },
  });

const readClient = (parts: ClientParts): Operation =>
  adminOperation({
    id: "admin.clients.read",
    method: "GET",
    path: "/admin/clients/{id}",
    summary: "Read a client of OAuth 2",
    success: { status: 200, description: "The client.", body: shownClient },
    errors: ["not_found"],
    handle: async ({ params: { id = "" } }) => ({ status: 200, body: present(await clientOf(parts, id)) }),
  });

const renewSecret = (parts: ClientParts): Operation =>
  adminOperation({
    id: "admin.clients.renew-secret",
    method: "POST",
    path: "/admin/clients/{id}/secret",
    // A key could make itself a client with more scopes than it has.
    signIn: true,
    summary: "Give a client a new secret; the old one ends at once",
    confirm: "Give the client {id} a new secret? The old one ends at once.",
    success: { status: 200, description: "The client, with its new secret.", body: clientWithSecret },
    errors: ["not_found", "state_conflict"],
    handle: async (call) => {
      const { id = "" } = call.params;
      const row = await clientOf(parts, id);
      requireActingFor(principalOf(call), String(row.user_id));
      if (row.kind === "public") throw new AppError("state_conflict", { detail: "A public client has no secret." });
      if (keysOf(row.jwks).length > 0) {
        throw new AppError("state_conflict", { detail: "This client has keys and no secret; replace its keys." });
      }
      const secret = newSecret(parts);
      const changes = {
        secret_digest: await parts.ports.secretBox.digest(secret),
        updated_at: timestampOf(call.now()),
      };
      return call.write({ resource: client.name, id, fields: ["secret"] }, async ({ resources }) => {
        await changeClient(resources, id, changes);
        return { status: 200, headers: noStore, body: { ...present(row), secret } };
      });
    },
  });

const replaceKeys = (parts: ClientParts): Operation =>
  adminOperation({
    id: "admin.clients.replace-keys",
    method: "POST",
    path: "/admin/clients/{id}/keys",
    // A key could make itself a client with more scopes than it has.
    signIn: true,
    summary: "Replace the public keys of a client; the old ones, or its secret, end at once",
    confirm: "Replace the keys of the client {id}? The old ones, or its secret, end at once.",
    body: clientKeySet,
    // Whether a key can be used depends on its numbers, which no schema can check.
    checkedAfterSchema: ["invalid_value"],
    success: { status: 200, description: "The client, with its new keys.", body: shownClient },
    errors: ["not_found", "state_conflict"],
    handle: async (call) => {
      const { id = "" } = call.params;
      const row = await clientOf(parts, id);
      requireActingFor(principalOf(call), String(row.user_id));
      if (row.kind === "public") throw new AppError("state_conflict", { detail: "A public client has no keys." });
      const jwks = acceptedKeys(parts, call.body);
      const changes = { jwks, secret_digest: null, updated_at: timestampOf(call.now()) };
      return call.write({ resource: client.name, id, fields: ["jwks"] }, async ({ resources }) => {
        await changeClient(resources, id, changes);
        return { status: 200, body: present({ ...row, ...changes }) };
      });
    },
  });

const replaceGrantTypes = (parts: ClientParts): Operation =>
  adminOperation({
    id: "admin.clients.replace-grant-types",
    method: "PUT",
    path: "/admin/clients/{id}/grant-types",
    // A key could open a way that its own scopes do not have.
    signIn: true,
    summary: "Say how a client may get tokens; those that it has stay valid until they expire",
    body: z
      .strictObject({ grant_types: chosenGrantTypes })
      .meta({ [marks.example]: { grant_types: ["client_credentials"] } }),
    // The kind and the redirect URIs of a client decide which grant types it can have.
    checkedAfterSchema: ["invalid_value"],
    success: { status: 200, description: "The client, with these grant types.", body: shownClient },
    errors: ["not_found"],
    handle: async (call) => {
      const { id = "" } = call.params;
      const { grant_types: types } = call.body;
      const row = await clientOf(parts, id);
      requireActingFor(principalOf(call), String(row.user_id));
      const fault = grantTypesFaultOf(types, row);
      if (fault !== undefined) throw invalid("grant_types", fault);
      const changes = { grant_types: sortedTypes(types), updated_at: timestampOf(call.now()) };
      return call.write({ resource: client.name, id, fields: ["grant_types"] }, async ({ resources }) => {
        await changeClient(resources, id, changes);
        return { status: 200, body: present({ ...row, ...changes }) };
      });
    },
  });

const deleteClient = (): Operation =>
  adminOperation({
    id: "admin.clients.delete",
    method: "DELETE",
    path: "/admin/clients/{id}",
    summary: "Remove a client; all its tokens end at once",
    confirm: "Remove the client {id}? All its tokens end at once. This cannot be undone.",
    success: { status: 204, description: "Its tokens are no longer accepted." },
    errors: ["not_found"],
    handle: async (call) => {
      const { id = "" } = call.params;
      if (!uuidPattern.test(id)) throw noSuchClient();
      return call.write({ resource: client.name, id }, async ({ resources }) => {
        if ((await resources.delete(client, id, allClients)) !== "done") throw noSuchClient();
        await resources.deleteWhere(outsideIdentity, allClients, equals("client_id", id));
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
