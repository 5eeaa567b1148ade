import type { ClaimedJob, ClaimRequest, JobQueue } from "@postern/core/ports";
import { checkLimit, type Database, readRows } from "../engine/database.ts";
import {
  type Claim,
  type ClaimedRow,
  countRunning,
  inQueueOrder,
  queueOrder,
  type Ready,
  readyAbove,
  readyIn,
} from "../engine/dialect.ts";
import { storedJson, unreadable } from "../engine/stored-json.ts";
import { newToken } from "../engine/token.ts";
import { beat } from "./knex-runners.ts";

interface ReadyRow {
  readonly id: number;
  readonly ready_order: number;
  readonly priority: number;
}

const isOlder = (one: ReadyRow, other: ReadyRow): boolean =>
  one.ready_order < other.ready_order || (one.ready_order === other.ready_order && one.id < other.id);

/**
 * The priority whose first job has been ready for longest. It goes from one priority in use to the
 * next, so that it does not read a long queue.
 */
const priorityOfOldest = (database: Database, ready: Ready): Promise<number | undefined> =>
  database.read(async (session) => {
    const floors = database.dialect.readyFloors?.(ready);
    if (floors !== undefined) {
      const firsts = readyAbove(database.dialect, ready, { columns: "id, ready_order, priority", limit: 1 }, floors);
      const [first] = await session.rows<ReadyRow>(
        `SELECT ready.* FROM ${firsts.sql} ORDER BY ready.ready_order, ready.id LIMIT 1`,
        firsts.values,
      );
      return first?.priority;
    }
    const condition = readyIn(database.dialect, ready);
    let oldest: ReadyRow | undefined;
    let above = Number.MIN_SAFE_INTEGER;
    for (;;) {
      const [first] = await session.rows<ReadyRow>(
        `SELECT id, ready_order, priority FROM job WHERE ${condition.sql} AND priority > ? ORDER BY ${queueOrder} LIMIT 1`,
        [...condition.values, above],
      );
      if (first === undefined) return oldest?.priority;
      if (oldest === undefined || isOlder(first, oldest)) oldest = first;
      above = first.priority;
    }
  });

/** How many jobs of the queue may start before its limit over all runners is reached. */
const claimableNow = async (
  database: Pick<Database, "read">,
  queue: string,
  limit: number,
  globalLimit: number | undefined,
): Promise<number> => {
  if (globalLimit === undefined) return limit;
  const [count] = await readRows<{ running: number }>(database, countRunning, [queue]);
  return Math.max(0, Math.min(limit, globalLimit - (count?.running ?? 0)));
};

/**
 * Hands out ready jobs in the order of the queue. Nothing is written if there is nothing to claim.
 */
export const claimReady = async (
  { dialect, read, write }: Pick<Database, "dialect" | "read" | "write">,
  claim: Claim,
): Promise<{ readonly lease: number; readonly rows: readonly ClaimedRow[] }> => {
  const found = await dialect.findReady({ read, write }, claim);
  if (found === undefined) return { lease: 0, rows: [] };
  const lease = newToken();
  const { queue, limit, globalLimit, runnerId, now, endsIdle } = claim;
  const rows = await write(async (session) => {
    if (globalLimit !== undefined && dialect.lockQueue !== undefined) await session.run(dialect.lockQueue, [queue]);
    // Before the jobs, as wherever a runner is declared dead.
    if (endsIdle) await beat(session, { runnerId, now, isIdle: false });
    const most = await claimableNow({ read: (work) => work(session) }, queue, limit, globalLimit);
    return dialect.takeReady(session, { ...claim, lease, most }, found);
  });
  // The databases promise no order.
  const inOrder = rows.toSorted(inQueueOrder);
  dialect.tookReady?.(claim, inOrder);
  return { lease, rows: inOrder };
};

/** `JobQueue.claim` */
export const claimJobs = async (
  database: Database,
  { runnerId, queue, kinds, limit, now, pick, globalLimit, endsIdle = false }: ClaimRequest,
): Promise<readonly ClaimedJob[]> => {
  checkLimit(limit);
  // If none may start, nothing is written.
  if ((await claimableNow(database, queue, limit, globalLimit)) === 0) return [];
  const ready = { queue, kinds, suspects: pick === "suspects", priority: undefined };
  const priority = pick === "arrival" ? await priorityOfOldest(database, ready) : undefined;
  const claim = { ...ready, priority, limit, runnerId, now, globalLimit, endsIdle };
  const { lease, rows } = await claimReady(database, claim);
  return rows.map((row): ClaimedJob => {
    const payload = row.payload === null ? { value: undefined } : storedJson("job.payload", row.payload);
    return {
      id: row.id,
      lease,
      kind: row.kind,
      queue,
      attempt: row.attempt,
      maxAttempts: row.max_attempts,
      losses: row.losses,
      eventId: row.event_ref ?? undefined,
      isOrdered: row.order_key !== null,
      payload: payload?.value,
      ...(payload === undefined ? { unreadable: unreadable("job.payload", row.id) } : {}),
      createdAt: row.created_at,
    };
  });
};

/** `JobQueue.canClaim` */
export const canClaimJobs = async (
  database: Database,
  { queue, kinds, pick, globalLimit }: Parameters<JobQueue["canClaim"]>[0],
): Promise<boolean> => {
  const ready = readyIn(database.dialect, { queue, kinds, suspects: pick === "suspects", priority: undefined });
  const found = await readRows(database, `SELECT id FROM job WHERE ${ready.sql} LIMIT 1`, ready.values);
  if (found.length === 0) return false;
  return (await claimableNow(database, queue, 1, globalLimit)) > 0;
};
