/**
 * `@postern/app`: everything put together. You give it declarations and adapters; it gives you an
 * application.
 */

export { resealSecondFactors } from "./account/second-factors.ts";
export { hasAdmin } from "./console/setup-link.ts";
export { type App, type AppOptions, createApp } from "./create-app.ts";
export { afterCommit, beforeWrite, type CommittedChange, type Hook, hooksFor } from "./hooks/hooks.ts";
export type { ShownSetting } from "./operator/index.ts";
export type { NamedIssuer, OutsideIssuer } from "./outside/outside-issuer.ts";
export { readPublishedKeys } from "./outside/published-keys.ts";
export { allParts, builtInResources, type Part, resourcesOfParts } from "./parts.ts";
export { apiKey } from "./resources/api-key.ts";
export { comment } from "./resources/comment.ts";
export { grant } from "./resources/grant.ts";
export { post } from "./resources/post.ts";
export { session } from "./resources/session.ts";
export { user, userWith } from "./resources/user.ts";
export { defaultRetention, type Retention } from "./retention.ts";
export { defaultSettings, type Settings } from "./settings.ts";
export { resealSigningKeys, signingKeysOpen } from "./tokens/signing-keys.ts";
export { builtInDeprecations } from "./versions/built-in-deprecations.ts";
export { builtInChanges } from "./versions/built-in-shapes.ts";
export { builtInVersions } from "./versions/built-in-versions.ts";
