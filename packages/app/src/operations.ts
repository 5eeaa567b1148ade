import type { InboxHandler, Ports, Resource } from "@postern/core";
import type { Providers } from "@postern/core/parts";
import { type Operation, resourceOperations, type StandardOperation } from "@postern/rest";
import { auditOperations } from "./admin/audit-operations.ts";
import { eventOperations } from "./admin/event-operations.ts";
import { jobOperations } from "./admin/job-operations.ts";
import { providerOperations } from "./admin/provider-operations.ts";
import { replayOperations } from "./admin/replay-operations.ts";
import { webhookOperations } from "./admin/webhook-operations.ts";
import type { Part } from "./parts.ts";
import { session } from "./resources/session.ts";
import { user } from "./resources/user.ts";
import type { Settings } from "./settings.ts";
import { sessionOperations } from "./sign-in/session-operations.ts";
import { userOperations } from "./users/user-operations.ts";

/** What the operations are made from. */
interface OperationParts {
  readonly ports: Ports;
  readonly settings: Settings;
  readonly parts: readonly Part[];
  readonly resources: ReadonlyMap<string, Resource>;
  readonly providers: Providers;
  readonly handlers: readonly InboxHandler[];
}

/** Standard operations that a resource has in a form of its own, or not at all. */
const replaced: ReadonlyMap<string, readonly StandardOperation[]> = new Map([
  [user.name, ["create"]],
  [session.name, ["create", "read", "replace", "update", "delete"]],
]);

/** The operation table: everything the application can do. A new operation is an entry in one of these lists. */
export const operationsOf = (given: OperationParts): readonly Operation[] => {
  const { ports, parts, resources } = given;
  const users = parts.includes("users");
  const inbox = parts.includes("inbox");
  return [
    ...(users ? [...sessionOperations(given), ...userOperations(given)] : []),
    ...[...resources.values()].flatMap((resource) =>
      resourceOperations(resource, resources, replaced.get(resource.name)),
    ),
    ...(inbox ? [...webhookOperations, ...eventOperations(given)] : []),
    ...jobOperations(ports),
    ...(inbox ? [...providerOperations(given), ...replayOperations(given)] : []),
    ...auditOperations(ports),
  ];
};
