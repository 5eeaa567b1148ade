import type { Ports } from "@postern/core";
import type { AuditSeal } from "@postern/core/ports";
import { type AuditFinding, ChainWalk, type VerifyingPorts } from "./verify-audit-log.ts";

const task = "check";
const pageSize = 500;
/** How many pages one run compares. */
const pagesAtOnce = 40;

/** The state of one pass along the whole chain. */
interface Pass {
  readonly findings: number;
  readonly first?: AuditFinding;
}

/** What the check in the background has found. */
export interface AuditCheck {
  /** The last finished pass along the whole chain; absent before the first one. */
  readonly finished?: Pass & { readonly at: number; readonly head?: AuditSeal };
  /** The pass that is under way. */
  readonly current: Pass & { readonly upTo?: AuditSeal };
}

const parse = (text: string | undefined): AuditCheck =>
  // Only `checkAuditLog` writes this text.
  text === undefined ? { current: { findings: 0 } } : (JSON.parse(text) as AuditCheck);

/** What the check in the background has found so far. */
export const auditCheckOf = async ({ auditChain }: Pick<Ports["storage"], "auditChain">): Promise<AuditCheck> =>
  parse(await auditChain.progress(task));

/** How many findings there are, by the last whole check or the one that is under way. */
export const findingsOf = ({ finished, current }: AuditCheck): number =>
  Math.max(finished?.findings ?? 0, current.findings);

/**
 * Compares the next 20,000 entries of the audit log with their seals, 500 at a time, and begins
 * again behind the last one. It finds what `verifyAuditLog` finds, except entries that were never
 * sealed. It remembers the end of the chain, so it also notices when the end was cut off. `goOn` is
 * asked between two pages.
 */
export const checkAuditLog = async (ports: VerifyingPorts, goOn: () => Promise<boolean>): Promise<AuditCheck> => {
  const { auditChain } = ports.storage;
  const { finished, current } = await auditCheckOf(ports.storage);
  const anchor = await auditChain.anchor();
  const from = (current.upTo?.place ?? 0) > (anchor?.place ?? 0) ? current.upTo : anchor;
  const walk = new ChainWalk(ports, from, finished?.head);
  let isOver = false;
  for (let page = 0; page < pagesAtOnce && !isOver && (page === 0 || (await goOn())); page += 1) {
    const seals = await auditChain.list({ after: (walk.head ?? from)?.place ?? 0, limit: pageSize });
    for (const sealed of seals) await walk.pass(sealed);
    isOver = seals.length < pageSize;
  }
  const head = walk.head ?? from;
  const kept = finished?.head;
  if (isOver && kept !== undefined && kept.place > (head?.place ?? 0)) walk.find({ kind: "head", place: kept.place });
  const first = current.first ?? walk.findings[0];
  const findings = current.findings + walk.findings.length;
  const pass = { findings, ...(first === undefined ? {} : { first }) };
  const at = head === undefined ? {} : { head };
  // Keep the missing end, so that it stays reported until somebody has looked at it.
  const ended = { ...pass, at: ports.clock.now(), ...(first?.kind === "head" && kept ? { head: kept } : at) };
  const check: AuditCheck = isOver
    ? { finished: ended, current: { findings: 0 } }
    : {
        ...(finished === undefined ? {} : { finished }),
        current: { ...pass, ...(head === undefined ? {} : { upTo: head }) },
      };
  await auditChain.keepProgress(task, JSON.stringify(check));
  return check;
};
