import type { Alert, FailedAttempt, FeedCommit, FeedEntry, FeedStore } from "@postern/core/ports";
import { checkLimit, type Database, idsOf, type Session } from "../engine/database.ts";
import { fitting } from "../engine/portions.ts";
import { changeRows, findRows, readQuery } from "../engine/query-builder.ts";
import { storedJson } from "../engine/stored-json.ts";
import { type SummaryRow, summaryColumns, toSummary, withStates } from "./event-rows.ts";

/** What a commit adds: a range of events, failed attempts, or an alert. */
type Added =
  | { readonly events: readonly [first: number, last: number] }
  | { readonly jobs: readonly Omit<FailedAttempt, "provider">[] }
  | { readonly alert: Alert };

/** What stands in a row's text. */
type Told = Exclude<Added, { events: unknown }>;

interface FeedRow {
  readonly place: number;
  readonly at: number;
  readonly first_ref: number | null;
  readonly last_ref: number | null;
  readonly body: string | null;
}

/** One answer has no more events, unless a single commit has. */
const mostEntries = 1_000;

/** Adds to the feed as a part of the transaction. */
export const addToFeed = async (session: Session, at: number, added: Added): Promise<void> => {
  const [first, last] = "events" in added ? added.events : [null, null];
  const body = "events" in added ? null : JSON.stringify(added);
  const sql = "INSERT INTO feed_entry (at, first_ref, last_ref, body) VALUES (?, ?, ?, ?)";
  await session.run(sql, [at, first, last, body]);
};

/** The events of these rows, oldest id first. */
const eventsIn = async (
  database: Database,
  session: Session,
  rows: readonly FeedRow[],
): Promise<ReturnType<typeof toSummary>[]> => {
  const ranges = rows.filter(({ first_ref }) => first_ref !== null);
  if (ranges.length === 0) return [];
  const events = database.dialect.query("inbox_event").select(summaryColumns).orderBy("id");
  events.where((any) => {
    for (const { first_ref, last_ref } of ranges) any.orWhereBetween("id", [first_ref ?? 0, last_ref ?? 0]);
  });
  return withStates(database, session, await findRows<SummaryRow>(session, events), toSummary);
};

/** The senders of the events that failed jobs are about. */
const providersOf = async (
  { dialect }: Database,
  session: Session,
  jobs: readonly Omit<FailedAttempt, "provider">[],
): Promise<ReadonlyMap<number, string>> => {
  const ids = [...new Set(jobs.flatMap(({ eventId }) => eventId ?? []))];
  if (ids.length === 0) return new Map();
  const found = dialect.query("inbox_event").select("id", "provider").whereIn("id", ids);
  const rows = await findRows<{ id: number; provider: string }>(session, found);
  return new Map(rows.map(({ id, provider }) => [id, provider]));
};

/** The feed, in `feed_entry`. */
export const knexFeedStore = (database: Database): FeedStore => {
  const { dialect, read, write } = database;
  const { query } = dialect;
  const unnumbered = (limit: number) => query("feed_entry").select("id").whereNull("place").orderBy("id").limit(limit);

  return {
    alert: (alert, at) => write((session) => addToFeed(session, at, { alert })),
    number: async () => {
      if ((await readQuery(database, unnumbered(1))).length === 0) return 0;
      return write(async (session) => {
        // Locks the sequence until the commit. So a reader that sees a number also sees all smaller
        // ones, and no other process numbers what this finds without a number.
        await dialect.reserve(session, "feed", 1);
        const ids = (await findRows<{ id: number }>(session, unnumbered(1000))).map(({ id }) => Number(id));
        if (ids.length === 0) return 0;
        const [lowest = 0] = ids;
        const first = await dialect.reserve(session, "feed", (ids.at(-1) ?? 0) - lowest + 1);
        // By their ids, so that no commit which is under way is waited for.
        const where = dialect.anyOf("id", ids);
        await session.run(`UPDATE feed_entry SET place = id + ? WHERE ${where.sql}`, [first - lowest, ...where.values]);
        return ids.length;
      });
    },
    newest: async () => {
      const newest = query("feed_entry").max({ newest: "place" });
      const [row] = await readQuery<{ newest: number | null }>(database, newest);
      return Number(row?.newest ?? 0);
    },
    has: async (place) => (await readQuery(database, query("feed_entry").select("id").where({ place }))).length > 0,
    read: async (after, limit) => {
      checkLimit(limit);
      const found = query("feed_entry").select("place", "at", "first_ref", "last_ref", "body");
      found.where("place", ">", after).orderBy("place").limit(limit);
      return read(async (session) => {
        const all = await findRows<FeedRow>(session, found);
        const sizes = all.map(({ first_ref: first, last_ref: last }) => (last ?? 0) - (first ?? 0) + 1);
        const rows = all.slice(0, fitting(sizes, mostEntries));
        const events = await eventsIn(database, session, rows);
        const told = rows.map((row) => ({
          ...row,
          added: (row.body === null ? undefined : storedJson<Told>("feed_entry.body", row.body)?.value) ?? { jobs: [] },
        }));
        const jobs = told.flatMap(({ added }) => ("jobs" in added ? added.jobs : []));
        const providers = await providersOf(database, session, jobs);
        const entriesOf = ({ first_ref: first, last_ref: last, added }: (typeof told)[number]): FeedEntry[] => {
          if (first !== null && last !== null) {
            const own = events.filter(({ id }) => id >= first && id <= last);
            return own.map((event) => ({ kind: "event", part: event.id, event }));
          }
          if ("alert" in added) return [{ kind: "alert", part: 0, alert: added.alert }];
          return added.jobs.map(({ eventId, ...job }, part) => {
            const provider = eventId === undefined ? undefined : providers.get(eventId);
            return { kind: "job", part, job: { ...job, eventId, provider } };
          });
        };
        return told.map(
          (row): FeedCommit => ({ place: Number(row.place), at: Number(row.at), entries: entriesOf(row) }),
        );
      });
    },
    prune: (before, limit) =>
      write(async (session) => {
        checkLimit(limit);
        // Ids and times grow together, and times have no index.
        const oldest = query("feed_entry").select("id", "at").orderBy("id").limit(limit);
        const rows = await findRows<{ id: number; at: number }>(session, oldest);
        const ids = idsOf(rows.filter(({ at }) => Number(at) < before));
        if (ids.length > 0) await changeRows(session, query("feed_entry").whereIn("id", ids).delete());
        return ids.length;
      }),
  };
};
