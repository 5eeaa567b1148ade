import type { AuditSeal, SecretBox, StoredAuditEntry } from "@postern/core/ports";

/** Used as the previous digest of the first entry. */
export const chainStart = "";

/**
 * When an entry has been sealed for this long, no entry with a smaller id can still be committed:
 * no transaction lasts longer, and the clocks of all processes may differ by less than this.
 */
export const settleMs = 10 * 60_000;

/** How long entries that name no account keep their origins. */
export const strangersMs = 30 * 24 * 60 * 60_000;

/** The prefix of the commitment, in the address of an entry whose origin is erased. */
const erasedMark = "erased:";

/** The request id of an entry whose origin is erased. */
export const erasedRequest = "erased";

/** Whether the origin of an entry is erased, or seems to be. */
export const isErased = ({ address }: Pick<StoredAuditEntry, "address">): boolean => address.startsWith(erasedMark);

/** Replaces an address with a commitment, which reveals nothing without its salt. */
export const erasedAddress = (commitment: string): string => `${erasedMark}${commitment}`;

/**
 * The commitment to where a request came from: SHA-256 of a JSON array with the salt and the
 * origin.
 */
export const originCommitment = (
  { digest }: Pick<SecretBox, "digest">,
  { address, requestId }: Pick<StoredAuditEntry, "address" | "requestId">,
  salt: string,
): Promise<string> => digest(JSON.stringify(["postern.audit.origin.1", salt, address, requestId]));

/**
 * The commitment of a sealed entry. An entry that has no salt and is not erased has no valid
 * commitment.
 */
const commitmentOf = async (
  box: Pick<SecretBox, "digest">,
  entry: StoredAuditEntry,
  salt: string | undefined,
): Promise<string | null> => {
  if (salt !== undefined) return originCommitment(box, entry, salt);
  return isErased(entry) && entry.requestId === erasedRequest ? entry.address.slice(erasedMark.length) : null;
};

/**
 * The digest of the previous entry, this entry's place, and the salt of its origin. The salt is
 * absent if the origin is erased.
 */
export interface ChainLink {
  readonly before: string;
  readonly place: AuditSeal["place"];
  readonly salt?: string | undefined;
}

/**
 * The digest of an entry in the chain: SHA-256 of a JSON array with the digest before it, its
 * place, its content, and a commitment to its origin, so that the origin can be erased (ADR 31).
 * The form never changes; a new one gets another first member.
 */
export const auditDigest = async (
  box: Pick<SecretBox, "digest">,
  { before, place, salt }: ChainLink,
  entry: StoredAuditEntry,
): Promise<string> => {
  const { id, at, actor, credential, action, resource, resourceId, result, fields } = entry;
  return box.digest(
    JSON.stringify([
      "postern.audit.2",
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
      fields,
      await commitmentOf(box, entry, salt),
    ]),
  );
};
