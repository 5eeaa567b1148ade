import { jwtAlgorithms } from "@postern/core/ports";
import type { RootedEndpoint } from "@postern/rest";
import { noStore } from "./oauth-fault.ts";

const headers = { ...noStore, "cache-control": "public, max-age=3600" } as const;
const authMethods = ["client_secret_basic", "client_secret_post", "private_key_jwt"];

/** Where the metadata of the API as a protected resource is, below the origin. */
export const resourceMetadataPath = "/.well-known/oauth-protected-resource";

/** A document that anybody may read. */
const document = (path: string, make: () => object): RootedEndpoint => ({
  path,
  methods: ["GET"],
  wellKnown: true,
  answer: async () => ({ status: 200, headers, body: make() }),
});

/**
 * The documents by which clients find this server's OAuth 2: the metadata of the authorization
 * server (RFC 8414) and of the API as a protected resource (RFC 9728).
 */
export const metadataEndpoints = (
  issuer: string,
  scopes: readonly string[],
  name: string,
): readonly RootedEndpoint[] => {
  const resource = () => ({
    resource: `${issuer}/api`,
    authorization_servers: [issuer],
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    scopes_supported: scopes,
    bearer_methods_supported: ["header"],
    resource_name: name,
  });
  return [
    document("/.well-known/oauth-authorization-server", () => ({
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      revocation_endpoint: `${issuer}/oauth/revoke`,
      introspection_endpoint: `${issuer}/oauth/introspect`,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      scopes_supported: scopes,
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: ["authorization_code", "client_credentials", "refresh_token"],
      token_endpoint_auth_methods_supported: [...authMethods, "none"],
      token_endpoint_auth_signing_alg_values_supported: jwtAlgorithms,
      revocation_endpoint_auth_methods_supported: [...authMethods, "none"],
      revocation_endpoint_auth_signing_alg_values_supported: jwtAlgorithms,
      introspection_endpoint_auth_methods_supported: authMethods,
      introspection_endpoint_auth_signing_alg_values_supported: jwtAlgorithms,
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
    })),
    document(resourceMetadataPath, resource),
    document(`${resourceMetadataPath}/api`, resource),
  ];
};
