import type { AuditActor, AuditLog, Clock } from "@postern/core/ports";
import type { AuditNote, RootedRequest } from "@postern/rest";

/** What happened at an endpoint of OAuth 2, which has no operation. */
export interface EndpointNote extends AuditNote {
  readonly action: string;
  readonly actor: AuditActor;
}

/** Notes in the audit log what happened at an endpoint of OAuth 2. */
export const noteAt = (
  log: Pick<AuditLog, "append">,
  clock: Pick<Clock, "now">,
  request: Pick<RootedRequest, "id" | "address">,
  { action, actor, credential, resource, id, fields = [], result = "done" }: EndpointNote,
): Promise<void> =>
  log.append({
    at: clock.now(),
    actor,
    action,
    result,
    requestId: request.id,
    address: request.address,
    fields,
    ...(credential === undefined ? {} : { credential }),
    ...(resource === undefined ? {} : { resource }),
    ...(id === undefined ? {} : { resourceId: id }),
  });
