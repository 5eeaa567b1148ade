import type { Ports } from "@postern/core";
import type { Concerned, ErasedOrigin, StoredAuditEntry } from "@postern/core/ports";
import { erasedAddress, erasedRequest, originCommitment, settleMs, strangersMs } from "./audit-digest.ts";
import { aboutAccount, deletedAccount, isOfStranger, ownedResources } from "./audited-accounts.ts";
import type { AuditChainPorts } from "./seal-audit-log.ts";

/** The names under which the chain stores how far each task has followed it. */
const deletions = "erase-deleted";
const strangers = "erase-strangers";
/** How many entries one transaction changes. */
const erasedAtOnce = 100;
/** How many seals are read at once. */
const readAtOnce = 500;

/** The dependencies of erasing origins. */
export type ErasingPorts = AuditChainPorts & {
  readonly deprecatedUses: Pick<Ports["deprecatedUses"], "forgetClient">;
};

/** Asked between two batches. */
type GoOn = () => Promise<boolean>;

const erased = async ({ secretBox }: AuditChainPorts, entry: StoredAuditEntry): Promise<ErasedOrigin> => {
  const commitment = await originCommitment(secretBox, entry, entry.seal?.salt ?? "");
  return { entryId: entry.id, address: erasedAddress(commitment), requestId: erasedRequest };
};

/**
 * Erases the origins of the entries that it finds, batch by batch, and calls `first` before each
 * batch. Returns false if it was stopped.
 */
const eraseAll = async (
  ports: AuditChainPorts,
  concerned: Concerned,
  goOn: GoOn,
  first: (entries: readonly StoredAuditEntry[]) => Promise<boolean> = async () => true,
): Promise<boolean> => {
  const { auditChain } = ports.storage;
  let after = 0;
  for (let count = erasedAtOnce; count === erasedAtOnce; ) {
    const entries = await auditChain.withOrigin({ ...concerned, after, limit: erasedAtOnce });
    const last = entries.at(-1);
    if (last === undefined) break;
    if (!(await first(entries))) return false;
    await auditChain.eraseOrigins(await Promise.all(entries.map((entry) => erased(ports, entry))));
    if (!(await goOn())) return false;
    after = last.id;
    count = entries.length;
  }
  return true;
};

/**
 * Erases the origins of everything that an account did and that others tried to do to it. Returns
 * false if it was stopped.
 */
const eraseAccount = async (ports: ErasingPorts, accountId: string, goOn: GoOn): Promise<boolean> => {
  // These counts name the programs that the account used.
  await ports.deprecatedUses.forgetClient(`user:${accountId}`);
  if (!(await eraseAll(ports, aboutAccount(accountId), goOn))) return false;
  // The account's own entries tell what belongs to it, so their origins are erased last.
  return eraseAll(ports, { actorId: accountId }, goOn, async (entries) => {
    for (const resource of ownedResources) {
      const named = entries.filter((entry) => entry.resource === resource);
      const resourceIds = [...new Set(named.flatMap(({ resourceId }) => resourceId ?? []))];
      if (resourceIds.length > 0 && !(await eraseAll(ports, { resource, resourceIds }, goOn))) return false;
    }
    return true;
  });
};

/** Erases the origins of old entries that name no account. */
const eraseStrangers = async (ports: AuditChainPorts, goOn: GoOn): Promise<void> => {
  const { auditChain } = ports.storage;
  const before = ports.clock.now() - strangersMs;
  let after = Number((await auditChain.progress(strangers)) ?? 0);
  for (let isYoung = false; !isYoung; ) {
    const page = await auditChain.list({ after, limit: erasedAtOnce });
    const young = page.findIndex(({ entry }) => entry !== undefined && entry.at >= before);
    isYoung = young !== -1 || page.length < erasedAtOnce;
    const old = young === -1 ? page : page.slice(0, young);
    const entries = old.flatMap(({ entry }) => (entry?.seal?.salt !== undefined && isOfStranger(entry) ? [entry] : []));
    if (entries.length > 0) {
      await auditChain.eraseOrigins(await Promise.all(entries.map((entry) => erased(ports, entry))));
    }
    const last = old.at(-1);
    if (last === undefined) return;
    after = last.place;
    await auditChain.keepProgress(strangers, String(after));
    if (!(await goOn())) return;
  }
};

/**
 * Erases the origins of requests: those of a deleted account ten minutes after its deletion was
 * sealed, and those of entries that name no account after 30 days. It follows the chain, and
 * replaces addresses and request ids with the commitment that the seals cover. It also deletes a
 * deleted account's counts of deprecated uses. If `goOn` stops it, the next run continues from the
 * same place.
 * @returns How many deletions it followed.
 */
export const eraseOrigins = async (ports: ErasingPorts, goOn: GoOn): Promise<number> => {
  const followed = await eraseDeleted(ports, goOn);
  await eraseStrangers(ports, goOn);
  return followed;
};

const eraseDeleted = async (ports: ErasingPorts, goOn: GoOn): Promise<number> => {
  const { auditChain } = ports.storage;
  // Everything that the account did is sealed by then, too.
  const settled = (await auditChain.last(ports.clock.now() - settleMs))?.place ?? 0;
  let after = Number((await auditChain.progress(deletions)) ?? 0);
  let followed = 0;
  while (after < settled) {
    const page = await auditChain.list({ after, limit: readAtOnce });
    const due = page.filter(({ place }) => place <= settled);
    for (const { entry } of due) {
      const accountId = entry === undefined ? undefined : deletedAccount(entry);
      if (accountId === undefined) continue;
      if (!(await eraseAccount(ports, accountId, goOn))) return followed;
      followed += 1;
    }
    after = due.at(-1)?.place ?? settled;
    await auditChain.keepProgress(deletions, String(after));
    if (!(await goOn())) break;
  }
  return followed;
};
