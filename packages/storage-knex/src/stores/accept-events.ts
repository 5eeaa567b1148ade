import type { AcceptOutcome, ClaimedJob, EventStore, NewEvent, PastEvent, RunnerOffer } from "@postern/core/ports";
import { chunksOf, type Database, idsOf, type Session } from "../engine/database.ts";
import {
  type AcceptedRow,
  byKeyText,
  type Dialect,
  type EventRow,
  heldElsewhere,
  readyAbove,
  readyIn,
  runnerStates,
} from "../engine/dialect.ts";
import { withFreshNumbers } from "../engine/id-blocks.ts";
import { newToken } from "../engine/token.ts";
import { CommitUnknown } from "../engine/translate-error.ts";
import { dispositions } from "./event-state.ts";
import { insertJobs, type JobToInsert } from "./job-rows.ts";
import { addToFeed } from "./knex-feed-store.ts";

/** Free slots of a runner, and the number that a claim of them gets. */
export interface Offer extends RunnerOffer {
  readonly lease: number;
}

/**
 * Whether new jobs of a queue may go to a runner before anybody else sees them. The runner's row is
 * locked, so that it does not change before the runner has them.
 */
const mayHandOut = async (
  { dialect }: Database,
  session: Session,
  { runnerId, queue, kinds }: Offer,
): Promise<boolean> => {
  const ready = { queue, kinds, suspects: false, priority: undefined };
  const floors = dialect.readyFloors?.(ready);
  const condition = readyIn(dialect, ready);
  const waiting =
    floors === undefined
      ? { sql: `job WHERE ${condition.sql}`, values: condition.values }
      : readyAbove(dialect, ready, { columns: "id", limit: 1 }, floors);
  // Use one statement, because each costs more than its search. Only the runner's row is locked.
  const [found] = await session.rows<{ state: number | null; hindered: number }>(
    `SELECT runner.state AS state,
        CASE WHEN EXISTS (SELECT 1 FROM paused_queue WHERE queue = ?)
          OR EXISTS (SELECT 1 FROM ${waiting.sql})
        THEN 1 ELSE 0 END AS hindered
      FROM (SELECT 1 AS one) AS asked
      LEFT JOIN (SELECT state FROM runner WHERE id = ?${dialect.forShare}) AS runner ON 1 = 1`,
    [queue, ...waiting.values, runnerId],
  );
  return found?.state !== runnerStates.dead && found?.hindered === 0;
};

/**
 * Stores jobs, and hands the best of them to the offer's runner if that is allowed. Returns the id
 * of each, as `insertJobs` does, and the claims.
 */
export const insertJobsFor = async (
  database: Database,
  session: Session,
  jobs: readonly JobToInsert[],
  offer: Offer,
): Promise<{ readonly ids: readonly number[]; readonly claimed: readonly ClaimedJob[] }> => {
  const { runnerId, queue, limit, lease } = offer;
  // The statement that stores a job can also hand it out, unless something else decides when it runs.
  const plain: JobToInsert[] = [];
  for (const job of jobs) {
    const isPlain = job.dueAt === undefined && job.orderKey === undefined && job.unique === undefined;
    if (isPlain && (job.queue ?? "default") === queue) plain.push(job);
  }
  const best = plain
    .sort((one, other) => (one.priority ?? 0) - (other.priority ?? 0) || one.id - other.id)
    .slice(0, limit);
  if (best.length === 0 || !(await mayHandOut(database, session, offer))) {
    return { ids: await insertJobs(database, session, jobs), claimed: [] };
  }
  const taken = new Set(best);
  const claim = { runnerId, lease };
  const rows: JobToInsert[] = [];
  for (const job of jobs) rows.push(taken.has(job) ? { claim, ...job } : job);
  const ids = await insertJobs(database, session, rows);
  const claimed: ClaimedJob[] = [];
  for (const { id, kind, maxAttempts, eventId, payload, createdAt } of best) {
    claimed.push({
      id,
      lease,
      kind,
      queue,
      attempt: 1,
      maxAttempts,
      losses: 0,
      eventId,
      isOrdered: false,
      payload: payload === undefined ? undefined : JSON.parse(JSON.stringify(payload)),
      createdAt,
    });
  }
  return { ids, claimed };
};

/** The columns of a row of `eventRow`. */
export const eventColumns = [
  "id",
  "provider",
  "dedupe_key",
  "event_id",
  "type",
  "headers",
  "outside",
  "overruled",
  "body_sha256",
  "occurred_at",
  "received_at",
  "disposition",
  "reason",
  "repeats",
];

const none: EventRow["others"] = [];

/** What a sender said outside of body and headers, as it is stored. */
export const outsideText = ({
  query,
  leftOut,
  covered,
}: Pick<NewEvent, "query" | "leftOut" | "covered">): string | null =>
  query === undefined && leftOut === undefined && covered === undefined
    ? null
    : JSON.stringify({ query, leftOut, covered });

/** The row of a new event. */
export const eventRow = (
  id: number,
  event: Omit<NewEvent, "disposition" | "jobs"> & Pick<PastEvent, "disposition" | "overruled">,
  repeats: number,
): EventRow => ({
  id,
  key: [event.provider, event.dedupeKey],
  others: event.otherKeys?.map(({ dedupeKey, since = 0 }) => ({ key: [event.provider, dedupeKey], since })) ?? none,
  repeats,
  body: event.body,
  values: [
    id,
    event.provider,
    event.dedupeKey,
    event.eventId ?? null,
    event.type ?? null,
    JSON.stringify(event.headers),
    outsideText(event),
    event.overruled ?? null,
    event.bodySha256,
    event.occurredAt ?? null,
    event.receivedAt,
    dispositions[event.disposition],
    event.reason ?? null,
    repeats,
  ],
});

const insertRow = ({ id, event, repeats }: Candidate): EventRow => eventRow(id, event, repeats);

/** How often a batch is written if the answer to its commit is lost and nothing was committed. */
const acceptTries = 2;

/** Rows that hold keys, by key. */
type Holders = ReadonlyMap<string, AcceptedRow>;

/** An event of a batch and the later ones with its key. */
interface Candidate {
  readonly id: number;
  readonly key: string;
  /** Its place in the batch. */
  readonly index: number;
  readonly event: NewEvent;
  repeats: number;
}

/** The event of the batch that has one of the other keys of an event. */
const foundElsewhere = (
  { provider, otherKeys }: NewEvent,
  byKey: ReadonlyMap<string, Candidate>,
): Candidate | undefined => {
  for (const { dedupeKey, since = 0 } of otherKeys ?? []) {
    const candidate = byKey.get(`${provider} ${dedupeKey}`);
    if (candidate !== undefined && candidate.event.receivedAt >= since) return candidate;
  }
  return undefined;
};

/**
 * `wanted` has each event of a batch once, numbered from `firstId`. `standing` has, for every
 * event, the one that stands for it.
 */
const candidatesOf = (events: readonly NewEvent[], keys: readonly string[], firstId: number) => {
  const byKey = new Map<string, Candidate>();
  const standing: Candidate[] = [];
  for (const [index, event] of events.entries()) {
    const key = keys[index] ?? "";
    const { repeats = 0 } = event;
    let candidate = byKey.get(key) ?? (event.otherKeys && foundElsewhere(event, byKey));
    if (candidate === undefined) {
      candidate = { id: firstId + byKey.size, key, index, event, repeats };
      byKey.set(key, candidate);
    } else candidate.repeats += 1 + repeats;
    standing.push(candidate);
  }
  return { standing, wanted: [...byKey.values()] };
};

/** One answer per event, in order. */
const outcomesOf = (
  events: readonly NewEvent[],
  standing: readonly Candidate[],
  holders: Holders,
): readonly AcceptOutcome[] => {
  const outcomes: AcceptOutcome[] = [];
  for (const [index, candidate] of standing.entries()) {
    const holder = holders.get(candidate.key);
    const isNew = holder === undefined || holder.id === candidate.id;
    if (isNew && candidate.index === index) {
      outcomes.push({ outcome: "accepted", id: candidate.id });
      continue;
    }
    const firstBody = isNew ? candidate.event.bodySha256 : holder.body_sha256;
    const sameBody = firstBody === events[index]?.bodySha256;
    outcomes.push({ outcome: "duplicate", id: isNew ? candidate.id : holder.id, sameBody });
  }
  return outcomes;
};

/**
 * Writes the new events with their jobs, in one transaction. Returns the holders of the other keys,
 * and the jobs that the offer's runner got.
 */
const insert = (
  database: Database,
  wanted: readonly Candidate[],
  firstJobId: number,
  offer: Offer | undefined,
  requireFresh: () => void,
) =>
  database.write(async (session) => {
    requireFresh();
    const rows = await database.dialect.insertEvents(session, eventColumns, wanted.map(insertRow));
    const holders: Holders = rows.length === 0 ? new Map() : byKeyText(rows);
    const jobs: JobToInsert[] = [];
    let isAnyNew = false;
    for (const { id, key, event } of wanted) {
      if ((holders.get(key)?.id ?? id) !== id) continue;
      isAnyNew = true;
      for (const job of event.jobs) {
        jobs.push({ id: firstJobId + jobs.length, eventId: id, createdAt: event.receivedAt, ...job });
      }
    }
    const [first, last] = [wanted[0], wanted.at(-1)];
    if (isAnyNew && first !== undefined && last !== undefined) {
      await addToFeed(session, first.event.receivedAt, { events: [first.id, last.id] });
    }
    if (offer !== undefined) return { holders, claimed: (await insertJobsFor(database, session, jobs, offer)).claimed };
    await insertJobs(database, session, jobs);
    return { holders, claimed: [] };
  });

/** The rows that hold these keys, of which there may be any number. */
export const holdersOfAll = async (
  { holdersOf }: Dialect,
  session: Session,
  keys: readonly EventRow["key"][],
): Promise<readonly AcceptedRow[]> => {
  const rows: AcceptedRow[] = [];
  for (const part of chunksOf(keys, 160)) rows.push(...(await holdersOf(session, part)));
  return rows;
};

/**
 * Finds the holders of the keys after a commit whose answer was lost. `undefined` if the commit did
 * not happen. Either all of it happened or nothing.
 */
const landed = async ({ dialect, read }: Database, wanted: readonly Candidate[]): Promise<Holders | undefined> => {
  const rows = wanted.map(insertRow);
  const keys = rows.flatMap(({ key, others }) => [key, ...others.map((other) => other.key)]);
  const found = await read((session) => holdersOfAll(dialect, session, keys));
  const ours = new Set(idsOf(wanted));
  if (!found.some(({ id }) => ours.has(id))) return undefined;
  const held = byKeyText(found);
  return byKeyText(rows.flatMap((row) => held.get(row.key.join(" ")) ?? heldElsewhere(row, held) ?? []));
};

/**
 * Stores a batch of events with their jobs. `offered` are the free slots of a runner in this process,
 * which may get the jobs at once.
 * @throws AppError `unavailable`; if the answer to the commit was lost, it first finds out whether
 * the batch was committed.
 */
export const acceptBatch = async (
  database: Database,
  given: readonly NewEvent[],
  offered: RunnerOffer | undefined,
  tries = acceptTries,
): ReturnType<EventStore["acceptFor"]> => {
  await database.dialect.eventKeys?.catchUp();
  const events: NewEvent[] = [];
  const keys: string[] = [];
  for (const event of given) {
    // Half of a surrogate pair cannot be stored.
    const dedupeKey = event.dedupeKey.replaceAll(/\p{Surrogate}/gu, "\uFFFD");
    events.push(dedupeKey === event.dedupeKey ? event : { ...event, dedupeKey });
    keys.push(`${event.provider} ${dedupeKey}`);
  }
  return withFreshNumbers(database.ids, (requireFresh) =>
    storeBatch(database, { events, keys, offered, tries }, requireFresh),
  );
};

/** A batch whose keys can be stored. */
interface Batch {
  readonly events: readonly NewEvent[];
  readonly keys: readonly string[];
  readonly offered: RunnerOffer | undefined;
  readonly tries: number;
}

const storeBatch = async (
  database: Database,
  { events, keys, offered, tries }: Batch,
  requireFresh: () => void,
): ReturnType<EventStore["acceptFor"]> => {
  const firstId = await database.ids.take("event", new Set(keys).size);
  const { standing, wanted } = candidatesOf(events, keys, firstId);
  let jobCount = 0;
  for (const { event } of wanted) jobCount += event.jobs.length;
  const firstJobId = jobCount === 0 ? 0 : await database.ids.take("job", jobCount);
  const offer = offered === undefined ? undefined : { ...offered, lease: newToken() };
  try {
    const { holders, claimed } = await insert(database, wanted, firstJobId, offer, requireFresh);
    return { outcomes: outcomesOf(events, standing, holders), claimed };
  } catch (thrown) {
    if (!(thrown instanceof CommitUnknown)) throw thrown;
    const holders = await landed(database, wanted);
    if (holders !== undefined) return { outcomes: outcomesOf(events, standing, holders), claimed: undefined };
    // Under new numbers: if the lost commit still happens later, its keys are taken and ours are
    // repeats.
    if (tries > 1) return acceptBatch(database, events, offered, tries - 1);
    throw thrown;
  }
};
