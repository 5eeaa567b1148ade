import type { Ports, Rows, Stores, Transaction } from "@postern/core";
import { AppError } from "@postern/core";
import type { TransactionIn } from "@postern/core/internal";
import type { ClaimedJob, Clock, JobQueue } from "@postern/core/ports";
import { AlreadyCommitted, type HandlerContext, LeaseLost } from "./handler-context.ts";
import type { RunTransactions } from "./run-transactions.ts";
import { isThrown } from "./thrown-value.ts";
import { notingUse, onlyRead, type UsedMembers } from "./used-members.ts";

/** A commit blocks the only writer on SQLite, and holds its row locks on MySQL. */
const slowCommitMs = 100;

type CommitPorts = Pick<Ports, "storage" | "clock" | "telemetry" | "wakeup">;

/** What a handler gives to `commit`. */
type CommittedWork<Result> = (rows: Rows, tx: Transaction & Stores) => Promise<Result>;

/** Rolls a commit back that has only read, so that its job goes on. */
export class OnlyRead extends Error {
  override readonly name = "OnlyRead";
}

/** The commit of one run. */
export interface RunCommit {
  readonly run: HandlerContext["commit"];
  /** `ended`: the job is done. `kept`: the effect is stored, and the job keeps the turn of its order key until the handler returns. */
  readonly state: "open" | "kept" | "ended";
  /** Set this when the run is over. From then on a commit fails and is counted. */
  isOver: boolean;
}

/** What a commit gives to its work. */
export interface CommitParts {
  readonly transactionIn: TransactionIn;
  /** The database's time. */
  readonly time: Pick<Clock, "now">;
}

/** `release` says whether the next job of an order key waits for the handler's return, or for the commit alone. */
export const createCommit = (
  ports: CommitPorts,
  { transactionIn, time }: CommitParts,
  job: ClaimedJob,
  release: "return" | "commit",
  transactions: () => RunTransactions,
): RunCommit => {
  const { storage, clock, telemetry, wakeup } = ports;
  const keepsTurn = job.isOrdered && release === "return";
  /**
   * This comes first in the transaction because it locks the job's row: a run that has lost its
   * lease writes nothing. If the work then only reads, all of it is rolled back.
   */
  const end = async (jobs: Pick<JobQueue, "finish">): Promise<void> => {
    const [kept] = await jobs.finish([{ job, end: keepsTurn ? { to: "committed" } : { to: "done" } }], clock.now());
    if (kept !== true) throw new LeaseLost(`job ${job.id} is no longer ours`);
  };

  // Its state is a plain member: see `HandledEvent` for what a getter of its own would cost.
  const commit: { -readonly [Member in keyof RunCommit]: RunCommit[Member] } = {
    state: "open",
    isOver: false,
    run: async <Result>(work: CommittedWork<Result>): Promise<Result> => {
      const { refuse, inside } = transactions();
      refuse("commit");
      if (commit.state !== "open")
        throw new AlreadyCommitted(`job ${job.id} has committed before: write everything in one commit`);
      let result: { readonly value: Result } | undefined;
      try {
        await storage.transaction(
          async (stores, own) => {
            await end(stores.jobs);
            const started = clock.monotonic();
            const used: UsedMembers = { read: false, other: false };
            const tx = notingUse(transactionIn({ stores, own, now: () => time.now() }), used);
            result = { value: await inside("commit", () => work(tx.rows, tx)) };
            const took = clock.monotonic() - started;
            if (took > slowCommitMs) {
              telemetry.log("warn", "a commit took long; others waited for it", { job: job.id, ms: took });
            }
            if (onlyRead(used)) throw new OnlyRead();
          },
          { job },
        );
      } catch (thrown) {
        if (thrown instanceof OnlyRead && result !== undefined) return result.value;
        if (isThrown(LeaseLost, thrown)) {
          telemetry.count("jobs_commits_fenced");
          telemetry.log("warn", "a commit was refused: its run no longer had the job, and nothing was written", {
            job: job.id,
            after_its_run: commit.isOver,
          });
        }
        if (result === undefined || !(await hasLanded(ports, job, thrown))) throw thrown;
      }
      commit.state = keepsTurn ? "kept" : "ended";
      wakeup.notify();
      // Set inside `work`, so the transaction was not committed before this point.
      return (result as { readonly value: Result } | undefined)?.value as Result;
    },
  };
  return commit;
};

const landedTries = 5;
const landedWaitMs = 500;

/** Whether a commit was stored although it failed: perhaps only its answer was lost. */
const hasLanded = async (
  { storage, clock }: Pick<CommitPorts, "storage" | "clock">,
  job: ClaimedJob,
  failure: unknown,
): Promise<boolean> => {
  if (!(failure instanceof AppError && failure.status >= 500)) return false;
  for (let tries = 1; ; tries += 1) {
    try {
      const state = await storage.jobs.leaseState(job);
      return state === "spent" || state === "committed";
    } catch (thrown) {
      if (tries >= landedTries) throw thrown;
      await new Promise<void>((resolve) => void clock.after(landedWaitMs, resolve));
    }
  }
};
