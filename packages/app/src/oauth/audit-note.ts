import type { AuditActor, AuditLog, Clock } from "@postern/core/ports";
import type { AuditNote, RootedRequest } from "@postern/rest";
import { auditTrail } from "@postern/rest/internal";

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
  note: EndpointNote,
): Promise<void> => auditTrail(clock, { id: note.action }, request, undefined)(log, note);
