/** `@postern/app`: everything put together. Declarations and adapters in, an application out. */
export { type App, type AppOptions, createApp } from "./create-app.ts";
export { allParts, builtInResources, type Part, resourcesOfParts } from "./parts.ts";
export { comment } from "./resources/comment.ts";
export { post } from "./resources/post.ts";
export { session } from "./resources/session.ts";
export { user } from "./resources/user.ts";
export { defaultSettings, type Settings } from "./settings.ts";
export { builtInDeprecations } from "./versions/built-in-deprecations.ts";
export { builtInVersions } from "./versions/built-in-versions.ts";
