/** `@postern/rest`: the API engine. An operation table in, a handler of requests out. */

// Who calls.
export type { AuditNote, AuditTrail } from "./access/audit-trail.ts";
export { challenge } from "./access/challenge.ts";
export { isAdmin, type Principal, type Role, scopeFor } from "./access/principal.ts";
export { principalOf } from "./access/principal-of.ts";

// Operations.
export {
  type Api,
  type ApiOptions,
  type ApiPorts,
  type ApiSettings,
  createApi,
  type DirectCall,
  defaultApiSettings,
} from "./api.ts";
// Versions, deprecations and the change log.
export type { ChangeLog, ChangeLogEntry } from "./changelog/change-log.ts";
export { type Difference, openApiDifferences } from "./changelog/openapi-difference.ts";
export type { BrownOut, Deprecation, DeprecationState, DeprecationTarget } from "./deprecations/deprecation.ts";
export { marks } from "./json-schema/json-schema.ts";
// Limits.
export {
  defaultLimits,
  type RateLimit,
  type RateLimitPolicy,
  type RequestLimits,
  type Use,
} from "./limits/limits.ts";
export { networkOf } from "./limits/network-of.ts";
export type { OpenApiDocument } from "./openapi/openapi.ts";
export type { ApiRequest, Authenticate, RequestBody } from "./operations/dispatch.ts";
export {
  type Call,
  defineOperation,
  type Method,
  type Operation,
  type OperationAccess,
  type OperationAnswer,
  pathParameters,
  type RequestFacts,
} from "./operations/operation.ts";
export {
  answerList,
  cursorFor,
  defaultLimit,
  listOf,
  numberedPlace,
  pageParameters,
  placeIn,
  presentPage,
} from "./operations/page.ts";
export { changeLogMarkdown } from "./pages/change-log-page.ts";
// Operations of resources.
export { fieldsParameter } from "./resources/fields-parameter.ts";
export { resourceOperations, type StandardOperation } from "./resources/resource-operations.ts";
export { idOf } from "./resources/row-in-path.ts";
export { createRow } from "./resources/row-writes.ts";
export { createSchema, readOnlyFields, rowSchema } from "./resources/write.ts";
export { type ApiVersion, newestOf, versionOf } from "./versions/api-versions.ts";
export { nestField } from "./versions/primitives/nest-field.ts";
export { removeEndpoint } from "./versions/primitives/remove-endpoint.ts";
export { removeField } from "./versions/primitives/remove-field.ts";
export { renameEndpoint } from "./versions/primitives/rename-endpoint.ts";
export { renameField } from "./versions/primitives/rename-field.ts";
export { replaceField } from "./versions/primitives/replace-field.ts";
export { requireHeader } from "./versions/primitives/require-header.ts";
export { wrapLists } from "./versions/primitives/wrap-lists.ts";
export type {
  ChangeKind,
  Effect,
  ListEffect,
  MemberEffect,
  OperationEffect,
  VersionChange,
  VersionDefinition,
} from "./versions/version.ts";
export type { VersionId } from "./versions/version-id.ts";
