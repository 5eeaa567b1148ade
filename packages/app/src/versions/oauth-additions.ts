import type { Correction } from "@postern/rest";

/** What OAuth 2 and its keys add to every version. */
export const oauthAdditions: readonly Correction[] = [
  {
    id: "signing-keys-rotate",
    kind: "added",
    date: "2026-11-22",
    versions: ["v1", "v2"],
    breaking: false,
    target: {
      type: "endpoint",
      name: "/admin/signing-keys",
      operations: ["admin.signing-keys.list", "admin.signing-keys.rotate"],
    },
    from: null,
    to: null,
    title: "Access tokens are signed with keys that rotate",
    description:
      "`/.well-known/jwks.json` shows the public keys, so that other services can check tokens (RFC 9068). Administrators list the keys and let the next one sign.",
    migration: "Nothing.",
  },
  {
    id: "clients-get-tokens-by-oauth",
    kind: "added",
    date: "2026-11-22",
    versions: ["v1", "v2"],
    breaking: false,
    target: {
      type: "endpoint",
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
    },
    from: null,
    to: null,
    title: "Clients get tokens by OAuth 2",
    description:
      "A server with a public URL gives tokens at `/oauth/token`. Administrators make clients; users see what they allowed at `/grants` and end it there.",
    migration: "Nothing.",
  },
  {
    id: "clients-prove-themselves-with-keys",
    kind: "added",
    date: "2026-11-22",
    versions: ["v1", "v2"],
    breaking: false,
    target: {
      type: "endpoint",
      name: "/admin/clients/{id}/keys",
      operations: ["admin.clients.replace-keys"],
    },
    from: null,
    to: null,
    title: "Clients prove themselves with keys of their own",
    description:
      "A client that is made with `jwks` has no secret: it signs an assertion for each request (`private_key_jwt`, RFC 7523). Clients show their `jwks`, which is null for those with a secret.",
    migration: "Nothing.",
  },
];
