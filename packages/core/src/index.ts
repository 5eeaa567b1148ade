/**
 * `@postern/core`: what the author of an application uses, to declare resources, webhooks and jobs.
 * `@postern/core/parts` has what authors of adapters and our own packages need in addition: ports,
 * stored rows, states and errors.
 */

export { AppError } from "./errors/app-error.ts";
export type { EventMetadata } from "./inbox/event-parts.ts";
export type { InboxEvent, InboxHandler, PayloadFilter } from "./inbox/handler.ts";
export { eventTypes, handlersFor } from "./inbox/handlers-for.ts";
export { createInbox } from "./inbox/inbox.ts";
export { logHandler } from "./inbox/log-handler.ts";
export { on } from "./inbox/on.ts";
export type { PayloadSchema } from "./inbox/payload-schema.ts";
export { defineProvider, type Provider } from "./inbox/provider.ts";
export {
  AlreadyCommitted,
  type HandlerContext,
  LeaseLost,
  Permanent,
  RetryAt,
  Snooze,
} from "./jobs/handler-context.ts";
export { defineJob, type JobHandler, newJob } from "./jobs/job-handler.ts";
export type { RetryPolicy } from "./jobs/retry-policy.ts";
export { type Schedule, schedule } from "./jobs/schedule.ts";
export { createWorker, type QueueLimits } from "./jobs/worker.ts";
export type { Retention } from "./maintenance/maintenance.ts";
export { DeclarationError } from "./model/declaration-faults.ts";
export { anyOf, defineResource, ownedBy, through, where, withRole } from "./model/define-resource.ts";
export {
  boolean,
  choice,
  date,
  decimal,
  digest,
  email,
  type Field,
  id,
  instant,
  integer,
  jsonObject,
  nullable,
  prose,
  reference,
  text,
  timestamp,
  words,
} from "./model/field.ts";
export type { FieldValue } from "./model/field-value.ts";
export type { AccessRule, Caller, Resource, ResourceDefinition } from "./model/resource.ts";
export { type Condition, equals, everything, nothing } from "./ports/condition.ts";
export type { Ports } from "./ports/index.ts";
export type { NewJob } from "./ports/job.ts";
export {
  type AccessScope,
  allRows,
  type ListQuery,
  type ResourceRepository,
  type Row,
} from "./ports/resource-repository.ts";
export type { OwnTables, OwnTransaction, Storage, Stores } from "./ports/storage.ts";
export type { StorageAdapter } from "./ports/storage-adapter.ts";
export type { RowReads, RowStore } from "./resources/row-types.ts";
export type { Rows } from "./resources/rows.ts";
export type { ReadTransaction, Transaction } from "./transaction.ts";
