import type { Correction } from "@postern/rest";
import { added } from "./added.ts";

/** The additions of OAuth 2 and its keys to every version. */
export const oauthAdditions: readonly Correction[] = [
  added({
    id: "signing-keys-rotate",
    name: "/admin/signing-keys",
    operations: ["admin.signing-keys.list", "admin.signing-keys.rotate"],
    title: "Access tokens are signed with keys that rotate",
    description:
      "`/.well-known/jwks.json` shows the public keys, so that other services can check tokens (RFC 9068). Administrators list the keys and let the next one sign.",
  }),
  added({
    id: "clients-get-tokens-by-oauth",
    name: "/admin/clients, /grants",
    operations: [
      "admin.clients.list",
      "admin.clients.create",
      "admin.clients.read",
      "admin.clients.renew-secret",
      "admin.clients.delete",
      "grants.list",
      "grants.read",
      "grants.delete",
    ],
    title: "Clients get tokens by OAuth 2",
    description:
      "A server with a public URL gives tokens at `/oauth/token`. Administrators make clients; users see their grants at `/grants` and can end them there.",
  }),
  added({
    id: "clients-prove-themselves-with-keys",
    name: "/admin/clients/{id}/keys",
    operations: ["admin.clients.replace-keys"],
    title: "Clients prove themselves with keys of their own",
    description:
      "A client that is made with `jwks` has no secret: it signs an assertion for each request (`private_key_jwt`, RFC 7523). Clients show their `jwks`, which is null for those with a secret.",
  }),
  {
    id: "clients-have-grant-types",
    date: "2026-11-22",
    versions: ["v1", "v2"],
    breaking: true,
    target: {
      type: "endpoint",
      name: "/admin/clients, /admin/clients/{id}/grant-types",
      operations: [
        "admin.clients.list",
        "admin.clients.create",
        "admin.clients.read",
        "admin.clients.renew-secret",
        "admin.clients.replace-keys",
        "admin.clients.replace-grant-types",
      ],
    },
    from: null,
    to: null,
    title: "Clients use only the grant types that they are registered for",
    description:
      "`grant_types` says how a client may get tokens; any other way is answered `unauthorized_client`. Without it a new client with `redirect_uris` gets `authorization_code` and `refresh_token`, and one without gets `client_credentials`. A new client with a loopback address and a port may use that port alone; an address without a port stands for all ports. Clients from before keep what they could do.",
    migration: "Name `grant_types` for a new client that uses both a code and its own credentials.",
  },
  added({
    id: "grants-can-be-narrowed",
    name: "/grants/{id}/scopes",
    operations: ["grants.narrow"],
    title: "Users take single scopes back from a client",
    description:
      "`PUT /grants/{id}/scopes` leaves a client some of the scopes that you allowed it. Its tokens lose the others with the next request.",
  }),
];
