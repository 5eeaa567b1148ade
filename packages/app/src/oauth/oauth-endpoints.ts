import type { RootedEndpoint } from "@postern/rest";
import { authorizeEndpoint } from "./authorize-endpoint.ts";
import { metadataEndpoints } from "./metadata-endpoints.ts";
import type { OAuthParts } from "./oauth-parts.ts";
import { withRealm } from "./realm.ts";
import { introspectEndpoint, revokeEndpoint, tokenEndpoint } from "./token-endpoints.ts";

/** All endpoints of OAuth 2. */
export const oauthEndpoints = (parts: OAuthParts): readonly RootedEndpoint[] =>
  [
    tokenEndpoint(parts),
    revokeEndpoint(parts),
    introspectEndpoint(parts),
    authorizeEndpoint(parts),
    ...metadataEndpoints(parts.tokens.issuer, parts.scopes, parts.settings.product.title),
  ].map((endpoint) => ({
    ...endpoint,
    answer: async (request) => withRealm(await endpoint.answer(request), parts.settings.product),
  }));
