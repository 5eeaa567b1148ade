import { user } from "../resources/index.ts";
import type { Resource } from "../resources/resource.ts";
import { session } from "../resources/session.ts";
import { webhookKey, webhookProvider } from "../resources/webhook-provider.ts";
import { aboutOperations } from "./about-operations.ts";
import { adminOperations } from "./admin-operations.ts";
import { auditOperations } from "./audit-operations.ts";
import { jobOperations } from "./job-operations.ts";
import type { Operation } from "./operation.ts";
import { providerOperations } from "./provider-operations.ts";
import { replayOperations } from "./replay-operations.ts";
import { resourceOperations, type StandardOperation } from "./resource-operations.ts";
import { sessionOperations } from "./session-operations.ts";
import { userOperations } from "./user-operations.ts";
import { webhookOperations } from "./webhook-operations.ts";

/** Standard operations that a resource has in a form of its own, or not at all. */
const replaced: ReadonlyMap<string, readonly StandardOperation[]> = new Map([
  [user.name, ["create"]],
  [session.name, ["create", "read", "replace", "update", "delete"]],
  [webhookProvider.name, ["list", "create", "read", "replace", "update", "delete"]],
  [webhookKey.name, ["list", "create", "read", "replace", "update", "delete"]],
]);

/** The operation table: everything the API can do. Adding a thing is an entry in one of these lists. */
export const operationsOf = (resources: ReadonlyMap<string, Resource>): readonly Operation[] => [
  ...sessionOperations,
  ...userOperations,
  ...[...resources.values()].flatMap((resource) =>
    resourceOperations(resource, resources, replaced.get(resource.name)),
  ),
  ...webhookOperations,
  ...adminOperations,
  ...jobOperations,
  ...providerOperations,
  ...replayOperations,
  ...auditOperations,
  ...aboutOperations,
];

export type { ApiRequest, RequestBody } from "./dispatch.ts";
export * from "./operation.ts";
