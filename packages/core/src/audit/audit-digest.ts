import type { StoredAuditEntry } from "../ports/audit-log.ts";
import type { SecretBox } from "../ports/secret-box.ts";

/** What the first entry has in place of a digest before it. */
export const chainStart = "";

/**
 * Until then after its seal, a seal vouches that no entry with a smaller id is still on its way: no transaction lasts
 * that long, and the clocks of all processes must agree that well.
 */
export const settleMs = 10 * 60_000;

/**
 * The digest of an entry in the chain: SHA-256 of a JSON array with the digest before it, its place
 * and its content. The form never changes; a new one gets another first member.
 */
export const auditDigest = (
  { digest }: Pick<SecretBox, "digest">,
  before: string,
  place: number,
  { id, at, actor, credential, action, resource, resourceId, result, requestId, address, fields }: StoredAuditEntry,
): Promise<string> =>
  digest(
    JSON.stringify([
      "postern.audit.1",
      before,
      place,
      id,
      at,
      actor.kind,
      actor.kind === "anonymous" ? null : actor.id,
      credential ?? null,
      action,
      resource ?? null,
      resourceId ?? null,
      result,
      requestId,
      address,
      fields,
    ]),
  );
