import { comment } from "./comment.ts";
import { post } from "./post.ts";
import type { Resource } from "./resource.ts";
import { session } from "./session.ts";
import { user } from "./user.ts";
import { webhookKey, webhookProvider } from "./webhook-provider.ts";

/** The resources every Postern has. Adding one is a file here and a line in this table. */
export const builtInResources: readonly Resource[] = [user, session, post, comment, webhookProvider, webhookKey];

export * from "./define-resource.ts";
export * from "./field.ts";
export { type FilterOperator, filterOperators } from "./filters.ts";
export { type Relation, relationsOf } from "./relations.ts";
export type * from "./resource.ts";
export { timestampOf, uuidPattern } from "./text.ts";
export { comment, post, session, user };
