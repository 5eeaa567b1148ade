import type { AuditActor, AuditEntry, AuditLog, Clock } from "@postern/core";
import type { Principal } from "./principal.ts";

/** What a request did or tried, beyond what is known of the request itself. */
export interface AuditNote {
  /** The operation's id unless told. */
  readonly action?: string;
  /** Whoever the request acts for, unless it is only now that they prove who they are. */
  readonly actor?: AuditActor;
  readonly credential?: string;
  readonly resource?: string;
  readonly id?: string;
  /** Names of the fields that were given a value. */
  readonly fields?: readonly string[];
  /** `done` unless told. */
  readonly result?: string;
}

/** Writes notes of one request into an audit log: the outer one, or that of the transaction whose effect they are about. */
export type AuditTrail = (log: AuditLog, note: AuditNote) => Promise<void>;

const actorOf = (principal: Principal | undefined): Pick<AuditEntry, "actor" | "credential"> => {
  if (principal === undefined) return { actor: { kind: "anonymous" } };
  if (principal.kind === "operator") return { actor: { kind: "operator", id: principal.name }, credential: "cli" };
  return { actor: { kind: "user", id: principal.userId }, credential: `session:${principal.sessionId}` };
};

export const auditTrail =
  (
    clock: Clock,
    operation: { readonly id: string },
    facts: { readonly id: string; readonly address: string },
    principal: Principal | undefined,
  ): AuditTrail =>
  (log, { action = operation.id, resource, id, fields = [], result = "done", ...who }) =>
    log.append(
      Object.assign(
        { at: clock.now(), action, result, requestId: facts.id, address: facts.address, fields },
        actorOf(principal),
        who,
        resource === undefined ? undefined : { resource },
        id === undefined ? undefined : { resourceId: id },
      ),
    );
