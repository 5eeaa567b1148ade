import { defaultRetention } from "@postern/app";
import { readHealth } from "@postern/app/internal";
import { AppError, type OwnTables, type Stores } from "@postern/core";
import { type MemoryPorts, memoryPorts } from "@postern/core/memory";
import type { DeliveryCount } from "@postern/core/ports";
import { type Schedule, schedule } from "@postern/jobs";

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const mebibyte = 1024 * 1024;

/** A server under a virtual clock, and what is done to it. */
export class Scene {
  readonly ports: MemoryPorts = memoryPorts();
  readonly schedules: Schedule[] = [];
  freeBytes: number | undefined;
  /** How far the clock of the database is ahead of this one. */
  databaseAheadMs: number | undefined;
  /** Why the storage cannot be read; `undefined` if it can. */
  away: string | undefined;
  /** Why the storage can be read and takes no write. */
  unwritable: string | undefined;
  /** How many deletions are marked and unfinished. */
  deletions = 0;
  #runners: number[] = [];

  get now(): number {
    return this.ports.clock.now();
  }

  /** Time passes, and the runners beat. */
  async pass(ms: number): Promise<void> {
    await this.ports.clock.advance(ms);
    for (const id of this.#runners) await this.ports.storage.runners.beat(id, this.now);
  }

  /** Deliveries arrive in this minute. */
  async deliveries(count: number, changes: Partial<DeliveryCount> = {}): Promise<void> {
    const given = {
      minute: this.now - (this.now % minute),
      provider: "stripe",
      result: "accepted" as const,
      reason: "",
    };
    await this.ports.storage.deliveryCounts.add([{ ...given, deliveries: count, ...changes }]);
  }

  refused(count: number, reason: string, provider = "stripe"): Promise<void> {
    return this.deliveries(count, { provider, result: "refused", reason });
  }

  async worker(concurrency = 10, queues = {}, kinds: readonly string[] = ["log"]): Promise<number> {
    const limits = { concurrency, queues: { default: {}, ...queues } };
    const id = await this.ports.storage.runners.register({ name: "host:1", kinds, limits }, this.now);
    this.#runners.push(id);
    return id;
  }

  kill(): void {
    this.#runners = [];
  }

  async jobs(count: number, queue = "default", changes = {}): Promise<void> {
    const job = { kind: "log", maxAttempts: 3, queue, ...changes };
    await this.ports.storage.jobs.enqueue(
      Array.from({ length: count }, () => job),
      this.now,
    );
  }

  /** Claims jobs, which run from then on. */
  claim(runnerId: number, limit: number, queue = "default") {
    return this.ports.storage.jobs.claim({ runnerId, queue, limit, now: this.now });
  }

  /** Jobs that are given up now. */
  async dead(count: number, changes = {}): Promise<void> {
    const runner = await this.worker();
    await this.jobs(count, "default", changes);
    const ends = (await this.claim(runner, count)).map((job) => ({ job, end: { to: "dead" as const, error: "boom" } }));
    await this.ports.storage.jobs.finish(ends, this.now);
  }

  /** Attempts that fail now; their jobs run again much later. */
  async failing(
    count: number,
    { kind, ...failed }: { readonly kind: string; readonly error: string; readonly stack?: string },
  ): Promise<void> {
    const runner = await this.worker(10, {}, [kind]);
    await this.jobs(count, "default", { kind });
    const claimed = await this.claim(runner, count);
    const end = { to: "scheduled", at: this.now + 900 * hour, ...failed } as const;
    await this.ports.storage.jobs.finish(
      claimed.map((job) => ({ job, end })),
      this.now,
    );
  }

  async changedKey(action = "admin.providers.rotate", provider = "stripe"): Promise<void> {
    await this.ports.storage.audit.append({
      at: this.now,
      actor: { kind: "operator", id: "ada" },
      action,
      resource: "provider",
      resourceId: provider,
      result: "done",
      requestId: "r",
      address: "local",
      fields: ["key"],
    });
  }

  health() {
    const ahead = this.databaseAheadMs;
    const runners = {
      ...this.ports.storage.runners,
      databaseTime: async () => (ahead === undefined ? undefined : this.now + ahead),
    };
    const { storage: all } = this.ports;
    const failing = (why: string): Promise<never> =>
      Promise.reject(new AppError("unavailable", { cause: new Error(why) }));
    const queues = {
      ...all.queues,
      list: () => (this.away === undefined ? all.queues.list() : failing(this.away)),
    };
    const unfinishedDeletions = async () => ({ deletions: this.deletions, rows: this.deletions });
    const storage = {
      ...all,
      runners,
      queues,
      housekeeping: { ...all.housekeeping, unfinishedDeletions },
      freeBytes: async () => this.freeBytes,
      transaction: <Result>(work: (stores: Stores, own: OwnTables) => Promise<Result>): Promise<Result> =>
        this.unwritable === undefined ? all.transaction(work) : failing(this.unwritable),
    };
    return readHealth({
      ports: { ...this.ports, storage },
      inbox: true,
      configured: new Set(["github"]),
      schedules: this.schedules,
      retention: defaultRetention,
      handlers: [{ name: "log", timeoutMs: 5 * hour }],
    });
  }
}

export const daily = (missed: Schedule["missed"] = "last"): Schedule =>
  schedule("report", "0 6 * * *", async () => undefined, { missed });
