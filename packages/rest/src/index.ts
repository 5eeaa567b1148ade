/**
 * `@postern/rest`: the API engine. You give it an operation table; it gives you a request handler.
 */

// Who calls.
export type { AuditNote } from "./access/audit-trail.ts";
export type { Authenticate, CallerRequest } from "./access/identify.ts";
export {
  type Credential,
  challenge,
  hasSignedInRecently,
  isAdmin,
  type Principal,
  principalOf,
  scopeFor,
  signInTooOld,
  type UserPrincipal,
} from "./access/principal.ts";
export { builtInRoles, includesScope, type Roles } from "./access/roles.ts";

// Operations.
export { type Api, type ApiOptions, type ApiSettings, createApi, type DirectCall, defaultApiSettings } from "./api.ts";
// Versions, deprecations and the change log.
export type { Correction } from "./changelog/correction.ts";
export { type Difference, openApiDifferences } from "./changelog/openapi-difference.ts";
export type { Deprecation } from "./deprecations/deprecation.ts";
// Idempotency keys.
export type { IdempotentAnswers, KeyUse } from "./idempotency/idempotent-answers.ts";
export { marks } from "./json-schema/json-schema.ts";
// Limits.
export {
  defaultLimits,
  limitsOf,
  networkOf,
  type RateLimit,
  type RateLimitPolicy,
  type RequestLimits,
  type Use,
} from "./limits/limits.ts";
// Operations of resources.
export type { ApiRequest, QueryPairs, RequestBody } from "./operations/api-request.ts";
export { type KeyedList, keyedList } from "./operations/keyed-list.ts";
export {
  type EngineCall,
  type Method,
  type Operation,
  type OperationAnswer,
  pathParameters,
  type RequestFacts,
  tableEntry,
} from "./operations/operation.ts";
export { defaultLimit, listOf, pageParameters, presentPage } from "./operations/page.ts";
export type { RootedEndpoint, RootedRequest } from "./operations/rooted-endpoint.ts";
// Operations of an application's own.
export type { Call, CallRows } from "./own-operations/call.ts";
export { defineOperation, type OwnOperation } from "./own-operations/own-operation.ts";
export { changeLogMarkdown } from "./pages/change-log-page.ts";
export { escapeHtml, pageStart } from "./pages/html.ts";
export type { Product } from "./product.ts";
export { resourceOperations, type StandardOperation } from "./resources/resource-operations.ts";
export { idOf } from "./resources/row-in-path.ts";
export { createRow } from "./resources/row-writes.ts";
export { fieldsParameter } from "./resources/shape-parameters.ts";
export { alwaysShown, createSchema, readOnlyFields, rowSchema } from "./resources/write.ts";
export { type ApiVersion, newestOf, versionOf } from "./versions/api-versions.ts";
export {
  nestField,
  removeEndpoint,
  removeField,
  renameEndpoint,
  renameField,
  replaceField,
  requireHeader,
  wrapLists,
} from "./versions/primitives.ts";
export type { ChangeKind, Effect, LeavesAlone, VersionChange, VersionDefinition } from "./versions/version.ts";
export type { VersionId } from "./versions/version-id.ts";
