import type { AuditActor, AuditEntry, AuditLog, Clock } from "@postern/core/ports";
import type { Principal } from "./principal.ts";

/** What a request did or attempted, in addition to what the request itself says. */
export interface AuditNote {
  /** Default: the operation's id. */
  readonly action?: string;
  /**
   * Default: the principal of the request. A sign-in names the user who has just proved who they
   * are.
   */
  readonly actor?: AuditActor;
  readonly credential?: string;
  readonly resource?: string;
  readonly id?: string;
  /** Names of the fields that were set. */
  readonly fields?: readonly string[];
  /** Default: `done`. */
  readonly result?: string;
}

/**
 * Writes notes about one request into an audit log: into the outer one, or into that of the
 * transaction whose effect they describe.
 */
export type AuditTrail = (log: Pick<AuditLog, "append">, note: AuditNote) => Promise<void>;

const actorOf = (principal: Principal | undefined): Pick<AuditEntry, "actor" | "credential"> => {
  if (principal === undefined) return { actor: { kind: "anonymous" } };
  if (principal.kind === "operator") return { actor: { kind: "operator", id: principal.name }, credential: "cli" };
  const { kind, id } = principal.credential;
  return { actor: { kind: "user", id: principal.userId }, credential: `${kind}:${id}` };
};

/** `principal`: who acts, unless a note names somebody else; nobody who is known if it is `undefined`. */
export const auditTrail =
  (
    clock: Pick<Clock, "now">,
    operation: { readonly id: string },
    facts: { readonly id: string; readonly address: string },
    principal: Principal | undefined,
  ): AuditTrail =>
  (log, { action = operation.id, actor, credential, resource, id, fields = [], result = "done" }) =>
    log.append(
      Object.assign(
        { at: clock.now(), action, result, requestId: facts.id, address: facts.address, fields },
        actorOf(principal),
        actor === undefined ? undefined : { actor },
        credential === undefined ? undefined : { credential },
        resource === undefined ? undefined : { resource },
        id === undefined ? undefined : { resourceId: id },
      ),
    );
