import type { Ports } from "@postern/core";
import type { AuditSeal, SealedEntry, StoredAuditEntry } from "@postern/core/ports";
import { auditDigest, chainStart, isErased, settleMs, strangersMs } from "./audit-digest.ts";
import { accountOf, isOfStranger, wasDeleted } from "./audited-accounts.ts";
import type { AuditChainPorts } from "./seal-audit-log.ts";

/** What is wrong with the audit log, and where. */
export interface AuditFinding {
  /**
   * `gap`: seals are missing, from `place` up to `upTo`. `removed`: an entry is missing that has a
   * seal. `changed`: an entry or its seal is not what was sealed. `unsealed`: an entry was put in
   * later, or was never sealed. `hidden`: the origin of an entry was erased, but the log does not
   * say that its account was deleted; or the entry names no account and is less than 30 days old.
   * `head`: the log does not contain the seal that you kept.
   */
  readonly kind: "gap" | "removed" | "changed" | "unsealed" | "hidden" | "head";
  readonly place?: number;
  readonly upTo?: number;
  readonly entryId?: number;
}

interface AuditReport {
  /** At most 100. */
  readonly findings: readonly AuditFinding[];
  /** True if there are more findings than these. */
  readonly hasMore: boolean;
  /** How many entries have been compared with their seals. */
  readonly checked: number;
  /** The last seal that was pruned. */
  readonly anchor?: AuditSeal;
  /** The newest seal. Keep it elsewhere: with it, you find out if the end of the log is removed. */
  readonly head?: AuditSeal;
  /** How many entries wait for their seals, counted up to 1,000. */
  readonly waiting: number;
  /** True if the seal that you kept is older than what is still there. */
  readonly keptIsPruned: boolean;
}

const mostFindings = 100;
const pageSize = 500;

/** The dependencies of a check of the audit log. */
export type VerifyingPorts = Pick<AuditChainPorts, "clock" | "secretBox"> & {
  readonly storage: AuditChainPorts["storage"] & Pick<Ports["storage"], "audit">;
};

/** Goes along the chain, and compares each entry with its seal. */
export class ChainWalk {
  readonly findings: AuditFinding[] = [];
  hasMore = false;
  checked = 0;
  head: AuditSeal | undefined;
  /**
   * The place of the last seal, and the digests that the next seal may follow. After a gap there
   * are none.
   */
  #place: number;
  #before: readonly string[] | undefined;
  readonly #ports: VerifyingPorts;
  readonly #kept: AuditSeal | undefined;

  constructor(ports: VerifyingPorts, anchor: AuditSeal | undefined, kept: AuditSeal | undefined) {
    this.#ports = ports;
    this.#place = anchor?.place ?? 0;
    this.#before = [anchor?.digest ?? chainStart];
    this.#kept = kept;
  }

  find(finding: AuditFinding): void {
    if (this.findings.length < mostFindings) this.findings.push(finding);
    else this.hasMore = true;
  }

  async pass(sealed: SealedEntry): Promise<void> {
    const { place, entryId, digest, entry } = sealed;
    if (place !== this.#place + 1) await this.#leap(place);
    if (entry === undefined) this.find({ kind: "removed", place, entryId });
    const made = entry === undefined ? [] : await this.#digestsOf(sealed);
    if (made.length > 0 && !made.includes(digest)) {
      this.find({ kind: "changed", place, entryId });
      // Either the entry or its seal was changed: the next entry says which digest it followed.
      this.#before = [digest, ...made];
    } else this.#before = [digest];
    if (entry !== undefined && isErased(entry) && !(await this.#isRightlyErased(entry))) {
      this.find({ kind: "hidden", place, entryId });
    }
    if (place === this.#kept?.place && digest !== this.#kept.digest) this.find({ kind: "head", place });
    this.#place = place;
    this.head = { place, digest };
    this.checked += 1;
  }

  async #isRightlyErased(entry: StoredAuditEntry): Promise<boolean> {
    const { audit } = this.#ports.storage;
    if (isOfStranger(entry)) return entry.at < this.#ports.clock.now() - strangersMs;
    const account = await accountOf(audit, entry);
    return account !== undefined && wasDeleted(audit, account);
  }

  #digestsOf({ place, entry, salt }: SealedEntry): Promise<readonly string[]> {
    if (entry === undefined || this.#before === undefined) return Promise.resolve([]);
    return Promise.all(
      this.#before.map((before) => auditDigest(this.#ports.secretBox, { before, place, salt }, entry)),
    );
  }

  /** The next seal is not that of the next place. */
  async #leap(place: number): Promise<void> {
    const anchor = await this.#ports.storage.auditChain.anchor();
    // Earlier seals were pruned in the meantime.
    if (anchor?.place === place - 1) {
      this.#before = [anchor.digest];
      return;
    }
    this.find({ kind: "gap", place: Math.min(this.#place + 1, place), upTo: Math.max(place - 1, this.#place) });
    this.#before = undefined;
  }
}

/** Finds entries without a seal although later entries have one: `unsealed`. */
const findUnsealed = async (
  { storage: { auditChain } }: AuditChainPorts,
  walk: ChainWalk,
  upTo: number,
  signal: () => boolean,
): Promise<void> => {
  for (let after = 0; !walk.hasMore && !signal(); ) {
    const strays = await auditChain.unsealed({ after, upTo, limit: pageSize });
    for (const { id } of strays) walk.find({ kind: "unsealed", entryId: id });
    after = strays.at(-1)?.id ?? upTo;
    if (strays.length < pageSize) break;
  }
};

/**
 * Compares the audit log with its seals, from the first that is still there to the last: it reads all of
 * it, 500 entries at a time. `kept` is the newest seal of an earlier report. `isStopped` ends it early.
 * The server may go on working meanwhile.
 */
export const verifyAuditLog = async (
  ports: VerifyingPorts,
  { kept, isStopped = () => false }: { readonly kept?: AuditSeal; readonly isStopped?: () => boolean } = {},
): Promise<AuditReport> => {
  const { auditChain } = ports.storage;
  const settled = (await auditChain.last(ports.clock.now() - settleMs))?.entryId ?? 0;
  const anchor = await auditChain.anchor();
  const walk = new ChainWalk(ports, anchor, kept);
  for (let after = 0; !isStopped(); ) {
    const page = await auditChain.list({ after, limit: pageSize });
    for (const sealed of page) await walk.pass(sealed);
    after = page.at(-1)?.place ?? after;
    if (page.length < pageSize) break;
  }
  const head = walk.head ?? anchor;
  if (kept !== undefined && kept.place > (head?.place ?? 0)) walk.find({ kind: "head", place: kept.place });
  if (settled > 0) await findUnsealed(ports, walk, settled, isStopped);
  return {
    findings: walk.findings,
    hasMore: walk.hasMore,
    checked: walk.checked,
    ...(anchor === undefined ? {} : { anchor }),
    ...(head === undefined ? {} : { head }),
    waiting: (await auditChain.unsealed({ after: settled, limit: 1000 })).length,
    keptIsPruned: kept !== undefined && kept.place <= (anchor?.place ?? 0),
  };
};
