/**
 * `@postern/core`: what the author of an application uses to declare resources, and what all packages
 * share. `@postern/core/ports` has what authors of adapters need in addition.
 */

export type { Answer, AnswerStream } from "./answer.ts";
export { AppError } from "./errors/app-error.ts";
export type { ErrorCode } from "./errors/catalogue.ts";
export type { Fault } from "./errors/fault.ts";
export { Refused } from "./errors/refused.ts";
export type { JsonSchema } from "./json-schema/json-schema.ts";
export type { StandardSchema } from "./json-schema/standard-schema.ts";
export type { Line, Share } from "./line.ts";
export type { Caller } from "./model/caller.ts";
export type { OptionRule, OptionRules } from "./model/declaration-faults.ts";
export { DeclarationError } from "./model/declaration-faults.ts";
export { defineResource } from "./model/define-resource.ts";
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
export type { NewMail } from "./model/new-mail.ts";
export type { Resource, ResourceDefinition } from "./model/resource.ts";
export {
  type AccessRule,
  allOf,
  anyOf,
  nobody,
  ownedBy,
  signedIn,
  through,
  where,
  withRole,
} from "./model/rules.ts";
export { type Condition, equals } from "./ports/condition.ts";
export type { NewJob } from "./ports/job.ts";
export type { Ports } from "./ports/ports.ts";
export {
  type AccessScope,
  allRows,
  type ListQuery,
  type ResourceRepository,
  type Row,
} from "./ports/resource-repository.ts";
export type { OwnTables, OwnTransaction, Storage, Stores } from "./ports/storage.ts";
export type { StorageAdapter } from "./ports/storage-adapter.ts";
export type { ReadsOf, RowOf, RowReads, RowStore, RowsOf } from "./resources/row-types.ts";
export type { Rows } from "./resources/rows.ts";
export type { AbortSignalLike } from "./runtime.ts";
export type { Nesting, ReadTransaction, Transaction } from "./transaction.ts";
export type { BeforeWrite } from "./writes/before-write.ts";
export type { Change } from "./writes/change.ts";
