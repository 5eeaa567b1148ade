import type { AppendedRow, Session } from "../engine/database.ts";
import { translate, unavailable, vendorErrorOf } from "../engine/translate-error.ts";
import { insertsOf, LaterStatements, SqliteSession, statementErrors } from "./connection.ts";
import type { SqliteConnection } from "./driver/driver.ts";
import { sqliteErrors } from "./errors.ts";

export type Outcome = { readonly value: unknown } | { readonly error: unknown; readonly tooLong?: true };

/** The work of one transaction. */
type Work = (session: Session) => Promise<unknown>;

interface Candidate {
  readonly work: Work;
  /** Called with the bytes that the work gave to the database. */
  charge(bytes: number): void;
}

/**
 * One transaction of a group, its outcome, the rows to insert for it at the end, and the actions to
 * run after the commit.
 */
export interface Member<Waiting extends { readonly work: Work }> {
  readonly waiting: Waiting;
  outcome: Outcome;
  appended: readonly AppendedRow[];
  committed: readonly (() => void)[];
}

export interface GroupLimits {
  /** The most transactions that share one commit. */
  readonly sharing: number;
  /**
   * A group takes this many of the waiting transactions, however long they take. Otherwise a commit
   * would contain one transaction when each turn of the event loop takes as long as a whole group
   * should.
   */
  readonly least: number;
  /** Beyond `least`, a group takes no new transaction after this many milliseconds. */
  readonly groupMs: number;
  /**
   * A group that holds this many bytes takes no new transaction, so that its small ones need not
   * wait for several long ones.
   */
  readonly groupBytes: number;
  /** One transaction's work may take this many milliseconds. */
  readonly workMs: number;
}

/**
 * `now` gives the milliseconds of a clock that never goes back. `committed` is called after the
 * commit and before it is acknowledged. If it throws, no member of the group is told that it stands.
 */
type TimedLimits = GroupLimits & { readonly now: () => number; readonly committed: (() => void) | undefined };

/**
 * A transaction of the group failed after it had written, or a statement failed that ran together
 * with one of another transaction. The others of the group must be kept.
 */
class Undo extends Error {}

const tookTooLong = (workMs: number): Outcome => ({
  error: unavailable(
    new Error(
      `a transaction took longer than ${workMs} ms (a write to the outer storage from inside its work would wait for it)`,
    ),
  ),
  tooLong: true,
});

const outcomeOf = async (work: Work, session: Session): Promise<Outcome> => {
  try {
    return { value: await work(session) };
  } catch (error) {
    return { error };
  }
};

/**
 * Runs work, and stops waiting for it after `workMs`. A group's transactions run one after the
 * other, so one timer serves all of them.
 */
class Attempts {
  readonly #workMs: number;
  readonly #connection: SqliteConnection;
  readonly #timer: NodeJS.Timeout;
  #giveUp: () => void = () => undefined;

  constructor(connection: SqliteConnection, workMs: number) {
    this.#connection = connection;
    this.#workMs = workMs;
    this.#timer = setTimeout(() => this.#giveUp(), workMs);
  }

  async run(work: Work, session: SqliteSession): Promise<Outcome> {
    this.#timer.refresh();
    const outcome = await new Promise<Outcome>((resolve) => {
      this.#giveUp = () => resolve(tookTooLong(this.#workMs));
      void outcomeOf(work, session).then(resolve);
    });
    // Its statement may never end: then the connection is given up, and with it the group.
    const stuck = "tooLong" in outcome ? setTimeout(() => this.#connection.interrupt(), this.#workMs) : undefined;
    await session.end();
    clearTimeout(stuck);
    return outcome;
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

/**
 * Commits the members that did not fail. Inserts their appended rows together at the end: one
 * statement instead of one for each transaction.
 */
const commit = async (
  connection: SqliteConnection,
  members: readonly Member<{ work: Work }>[],
  later: LaterStatements,
  { committed: onCommit }: Pick<TimedLimits, "committed">,
): Promise<void> => {
  const appended: AppendedRow[] = [];
  for (const member of members) if (!("error" in member.outcome)) appended.push(...member.appended);
  const inserts = appended.length === 0 ? [] : insertsOf(appended);
  await later.with((before = []) => connection.batch([...before, ...inserts, { sql: "COMMIT" }]));
  onCommit?.();
  for (const { outcome, committed } of members) if (!("error" in outcome)) for (const action of committed) action();
};

/**
 * Runs waiting transactions one after the other and adds each to `members`. It uses no savepoints,
 * because they would cost every transaction two more statements. If a transaction fails after it
 * has written, it throws `Undo`.
 */
const share = async <Waiting extends Candidate>(
  connection: SqliteConnection,
  members: Member<Waiting>[],
  next: () => Waiting | undefined,
  attempts: Attempts,
  limits: TimedLimits,
): Promise<void> => {
  await connection.run("BEGIN IMMEDIATE");
  const later = new LaterStatements();
  const closesAt = limits.now() + limits.groupMs;
  let bytes = 0;
  for (let waiting = next(); waiting !== undefined; waiting = next()) {
    const session = new SqliteSession(connection, later);
    const outcome = await attempts.run(waiting.work, session);
    members.push({ waiting, outcome, appended: session.appended, committed: session.committed });
    waiting.charge(session.bytes);
    if (session.broken !== undefined) throw session.broken;
    if (later.failure !== undefined || ("error" in outcome && session.wrote)) throw new Undo();
    bytes += session.bytes;
    if (members.length >= limits.sharing || bytes >= limits.groupBytes) break;
    if (members.length >= limits.least && limits.now() >= closesAt) break;
  }
  try {
    await commit(connection, members, later, limits);
  } catch (thrown) {
    throw later.failure !== undefined && statementErrors.has(vendorErrorOf(thrown).code) ? new Undo() : thrown;
  }
};

/** Runs what a member left for later. If that fails, or failed before, the member fails. */
const runLater = async (
  connection: SqliteConnection,
  later: LaterStatements,
  member: Member<{ work: Work }>,
  session: SqliteSession,
): Promise<void> => {
  try {
    if (later.failure !== undefined) throw later.failure;
    await later.with(async (before = []) => connection.batch(before));
  } catch (thrown) {
    const error = translate(thrown, sqliteErrors);
    member.outcome = { error };
    if (!statementErrors.has(vendorErrorOf(thrown).code)) session.broken ??= error;
  }
};

/**
 * Runs the members of a group again after the group was rolled back. Each has a savepoint, so that
 * a member that fails is rolled back alone.
 */
const shareApart = async (
  connection: SqliteConnection,
  members: readonly Member<{ work: Work }>[],
  attempts: Attempts,
  limits: TimedLimits,
): Promise<void> => {
  await connection.run("ROLLBACK");
  // The only member is already rolled back.
  if (members.length === 1 && members.some(({ outcome }) => "error" in outcome)) return;
  await connection.run("BEGIN IMMEDIATE");
  for (const member of members) {
    // This one would only take too long again.
    if ("tooLong" in member.outcome) continue;
    await connection.run("SAVEPOINT work");
    const later = new LaterStatements();
    const session = new SqliteSession(connection, later);
    member.outcome = await attempts.run(member.waiting.work, session);
    if (!("error" in member.outcome)) await runLater(connection, later, member, session);
    member.appended = session.appended;
    member.committed = session.committed;
    if (session.broken !== undefined) throw session.broken;
    if ("error" in member.outcome) await connection.run("ROLLBACK TO work");
    await connection.run("RELEASE work");
  }
  await commit(connection, members, new LaterStatements(), limits);
};

/**
 * Runs waiting transactions as one group: one `BEGIN IMMEDIATE … COMMIT`, hence one flush to the
 * disk. `members` are known also when it throws.
 * @throws what made a commit impossible; none of the members stands then.
 */
export const commitGroup = async <Waiting extends Candidate>(
  connection: SqliteConnection,
  members: Member<Waiting>[],
  next: () => Waiting | undefined,
  limits: TimedLimits,
): Promise<void> => {
  const attempts = new Attempts(connection, limits.workMs);
  try {
    await share(connection, members, next, attempts, limits);
  } catch (thrown) {
    if (!(thrown instanceof Undo)) throw thrown;
    await shareApart(connection, members, attempts, limits);
  } finally {
    attempts.end();
  }
};
