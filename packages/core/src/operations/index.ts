import { user } from "../resources/index.ts";
import type { Resource } from "../resources/resource.ts";
import { session } from "../resources/session.ts";
import { aboutOperations } from "./about-operations.ts";
import { adminOperations } from "./admin-operations.ts";
import type { Operation } from "./operation.ts";
import { resourceOperations, type StandardOperation } from "./resource-operations.ts";
import { sessionOperations } from "./session-operations.ts";
import { userOperations } from "./user-operations.ts";
import { webhookOperations } from "./webhook-operations.ts";

/** Standard operations that a resource has in a form of its own, or not at all. */
const replaced: ReadonlyMap<string, readonly StandardOperation[]> = new Map([
  [user.name, ["create"]],
  [session.name, ["create", "read", "replace", "update", "delete"]],
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
  ...aboutOperations,
];

export type { ApiRequest } from "./dispatch.ts";
export * from "./operation.ts";
