import type { Ports, Resource, ResourceRepository, Row, Stores } from "@postern/core";
import { AppError, type Nesting } from "@postern/core";
import { type MailJobs, outsideName, overlaid, type ReadIn, type TransactionIn } from "@postern/core/internal";
import type { JobQueue, LogFields, LogLevel, StoredEvent } from "@postern/core/ports";
import { AlreadyCommitted, type HandlerContext } from "@postern/jobs";
import {
  createDatabaseClock,
  createRead,
  createRunMails,
  describeThrown,
  notingUse,
  OnlyRead,
  onlyRead,
  RunStop,
  stoppable,
  transactionsOfRun,
  type UsedMembers,
} from "@postern/jobs/internal";
import type { HandRun, HandWrite } from "./hand-run.ts";
import { HandledEvent, type InboxHandler, wants } from "./handler.ts";
import type { Providers } from "./provider-registry.ts";

interface HandRunParts {
  readonly ports: Pick<Ports, "storage" | "clock" | "ids" | "telemetry">;
  readonly providers: Pick<Providers, "find">;
  readonly transactionIn: TransactionIn;
  readonly readIn: ReadIn;
  readonly mailJobs: MailJobs;
  readonly nesting?: Nesting | undefined;
}

/** Takes back what a transaction wrote, although nothing failed. */
class TakenBack extends Error {
  override readonly name = "TakenBack";
}

/** How long a handler that ignores its signal is waited for. */
const stopMs = 10_000;

const readable = ({ fields }: Resource, row: Row): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(row).filter(([name]) => fields[name]?.read !== "nobody"));

const recorded = (stores: Stores, wrote: HandWrite[]): Stores => {
  const resources: ResourceRepository = {
    ...stores.resources,
    insert: async (resource, row) => {
      await stores.resources.insert(resource, row);
      wrote.push({ what: "insert", of: resource.name, id: String(row.id), values: readable(resource, row) });
    },
    update: async (resource, row, changes, options) => {
      const result = await stores.resources.update(resource, row, changes, options);
      const values = readable(resource, changes);
      if (result === "done") wrote.push({ what: "update", of: resource.name, id: row.id, values });
      return result;
    },
    delete: async (resource, id, scope, options) => {
      const result = await stores.resources.delete(resource, id, scope, options);
      if (result === "done") wrote.push({ what: "delete", of: resource.name, id });
      return result;
    },
    deleteWhere: async (resource, scope, where) => {
      const rows = await stores.resources.deleteWhere(resource, scope, where);
      if (rows > 0) wrote.push({ what: "delete", of: resource.name, values: { rows } });
      return rows;
    },
  };
  const jobs: JobQueue = {
    ...stores.jobs,
    enqueue: async (list, now) => {
      const stored = await stores.jobs.enqueue(list, now);
      for (const { kind, payload } of list)
        wrote.push({ what: "enqueue", of: kind, ...(payload === undefined ? {} : { values: { payload } }) });
      return stored;
    },
  };
  return overlaid(stores, { resources, jobs });
};

/** @throws AppError `not_found` for an event that cannot be run, `state_conflict` for one that the handler does not take. */
const runnable = (handler: InboxHandler, event: StoredEvent | undefined, taken: HandledEvent | undefined): void => {
  if (event === undefined) throw new AppError("not_found", { detail: "There is no such event." });
  if (taken === undefined) throw new AppError("not_found", { detail: "The body of this event is no longer stored." });
  if (wants(handler, taken)) return;
  throw new AppError("state_conflict", {
    detail: `The handler "${handler.name}" does not take this event: it is for ${handler.provider} ${handler.type}.`,
  });
};

/**
 * Runs a handler once on a stored event, beside all jobs: no job begins or ends with it. What `commit`
 * writes is rolled back, unless `keep` is true. Everything else that the handler does stays done, such
 * as a call of another service. It has the idempotency key of its job, so that services which know
 * the key do nothing twice.
 * @throws AppError `not_found`, `state_conflict` for an event that this handler cannot run on.
 */
export const runByHand = async (
  { ports, providers, transactionIn, readIn, mailJobs, nesting: around }: HandRunParts,
  handler: InboxHandler,
  { eventId, keep }: { readonly eventId: number; readonly keep: boolean },
): Promise<HandRun> => {
  const { storage, clock } = ports;
  const event = await storage.events.find(eventId);
  const provider = event === undefined ? undefined : await providers.find(event.provider);
  const taken = event?.body === undefined ? undefined : new HandledEvent(event, event.body, provider, handler.integers);
  runnable(handler, event, taken);
  const [job] = await storage.jobRecords.list({ eventId, kind: handler.name, limit: 1 });
  const time = createDatabaseClock(ports);
  await time.measure();
  const now = (): number => time.now();
  const logged: { level: LogLevel; message: string; fields: LogFields }[] = [];
  const wrote: HandWrite[] = [];
  let committed = false;
  const transactions = transactionsOfRun(around);
  const stop = new RunStop();
  const commit: HandlerContext["commit"] = async (work) => {
    transactions.refuse("commit");
    if (committed) throw new AlreadyCommitted("this run has committed before: write everything in one commit");
    const results: Awaited<ReturnType<typeof work>>[] = [];
    await storage
      .transaction(async (stores, own) => {
        // A transaction may begin again.
        wrote.length = 0;
        results.length = 0;
        const used: UsedMembers = { read: false, other: false };
        const tx = notingUse(transactionIn({ stores: recorded(stores, wrote), own, now }), used);
        results.push(await transactions.inside("commit", () => work(tx.rows, tx)));
        if (onlyRead(used)) throw new OnlyRead();
        if (!keep) throw new TakenBack();
      })
      .then(
        () => {
          committed = true;
        },
        (thrown: unknown) => {
          if (thrown instanceof OnlyRead) return;
          committed = thrown instanceof TakenBack;
          if (committed) return;
          wrote.length = 0;
          throw thrown;
        },
      );
    const [result] = results;
    // The transaction has pushed it; `Result` may include `undefined`.
    return result as Awaited<ReturnType<typeof work>>;
  };
  const { end, ...mails } = createRunMails({ run: commit, isOpen: () => !committed }, mailJobs);
  const context: Parameters<InboxHandler["handle"]>[1] = {
    attempt: 1,
    get signal() {
      return stop.signal;
    },
    idempotencyKey:
      job === undefined
        ? `postern-event-${eventId}-${handler.name}`
        : outsideName("postern-job", job.id, job.createdAt),
    now,
    log: (level, message, fields = {}) => void logged.push({ level, message, fields }),
    read: createRead(ports, readIn, () => transactions),
    ...mails,
  };
  const ended = { logged, wrote };
  try {
    await stoppable(clock, stop, { timeoutMs: handler.timeoutMs, stopMs }, async () => {
      if (taken !== undefined) await handler.handle(taken, context);
      await end();
    });
    return { ...ended, kept: committed && keep };
  } catch (thrown) {
    return { ...ended, kept: committed && keep, error: describeThrown(thrown, ports.telemetry.withoutSecrets) };
  }
};
