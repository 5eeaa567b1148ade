import type { Ports } from "@postern/core";
import type { NewAuditSeal, StoredAuditEntry } from "@postern/core/ports";
import { auditDigest, chainStart, settleMs } from "./audit-digest.ts";

/** The stores of the audit log and its chain. */
export type AuditChainPorts = Pick<Ports, "clock" | "secretBox"> & {
  readonly storage: Pick<Ports["storage"], "auditChain">;
};

/** The dependencies of sealing. Each seal has its own salt. */
export type SealingPorts = AuditChainPorts & Pick<Ports, "randomness">;

/** Each byte as two hexadecimal digits. Each audited write needs sixteen. */
const pairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

const newSalt = ({ randomness }: SealingPorts): string => {
  let salt = "";
  for (const byte of randomness.bytes(16)) salt += pairs[byte];
  return salt;
};

/** How many entries one transaction seals. More would block the event loop for too long. */
const sealedAtOnce = 200;

const sealsOf = async (ports: SealingPorts, entries: readonly StoredAuditEntry[]): Promise<readonly NewAuditSeal[]> => {
  const { auditChain } = ports.storage;
  const end = (await auditChain.last()) ?? (await auditChain.anchor());
  let { place, digest } = end ?? { place: 0, digest: chainStart };
  const seals: NewAuditSeal[] = [];
  for (const entry of entries) {
    place += 1;
    const salt = newSalt(ports);
    digest = await auditDigest(ports.secretBox, { before: digest, place, salt }, entry);
    seals.push({ place, entryId: entry.id, digest, salt });
  }
  return seals;
};

/**
 * Seals the entries of the audit log that have no seal, in up to 1,000 batches of 200. Several
 * processes may do it at once: of two that seal the same entry, the slower one stops. `goOn` is
 * asked before each batch after the first.
 * @returns How many entries were sealed.
 */
export const sealAuditLog = async (ports: SealingPorts, goOn: () => Promise<boolean>): Promise<number> => {
  const { auditChain } = ports.storage;
  // Entries without a seal have larger ids than entries that were sealed long ago.
  let after = (await auditChain.last(ports.clock.now() - settleMs))?.entryId ?? 0;
  let sealed = 0;
  for (let batch = 0; batch < 1000 && (batch === 0 || (await goOn())); batch += 1) {
    const entries = await auditChain.unsealed({ after, limit: sealedAtOnce });
    const last = entries.at(-1);
    if (last === undefined) break;
    if (!(await auditChain.append(await sealsOf(ports, entries), ports.clock.now()))) break;
    sealed += entries.length;
    after = last.id;
    if (entries.length < sealedAtOnce) break;
  }
  return sealed;
};

/**
 * Deletes up to `limit` (1 to 1,000) entries that are older than `before`, from the beginning of the
 * chain, and keeps the digest of the last one. Entries without a seal stay.
 * @returns How many were deleted.
 */
export const pruneAuditLog = async (
  { auditChain }: AuditChainPorts["storage"],
  before: number,
  limit: number,
): Promise<number> => {
  const seals = await auditChain.list({ after: 0, limit });
  const firstToStay = seals.findIndex(({ entry }) => entry !== undefined && entry.at >= before);
  const old = seals.slice(0, firstToStay === -1 ? undefined : firstToStay);
  // A seal whose entry is missing stays as evidence until a later entry is also old enough.
  const last = old.findLast(({ entry }) => entry !== undefined);
  return last === undefined ? 0 : auditChain.prune({ place: last.place, digest: last.digest });
};
