import { randomBytes } from "node:crypto";
import { allRows, type NewJob, type Resource, type Row } from "@postern/core";
import { uuidV7Source } from "@postern/core/internal";
import {
  type LogEntry,
  memoryAlerts,
  memoryCommonPasswords,
  memoryFetcher,
  memoryMailer,
  memoryPasswordHasher,
  memoryTelemetry,
  seededRandomness,
  type VirtualClock,
} from "@postern/core/memory";
import type { EventFilter, EventSummary, InboundResponse, Job, JobFilter, OutboundRequest } from "@postern/core/ports";
import { openPostern, type Postern, type PosternOptions } from "postern";
import { type Delivered, type DeliverOptions, deliverOne, type SentEvent } from "./deliver.ts";
import { durationMs } from "./duration.ts";
import { sendersOf } from "./senders.ts";
import { createClients, type TestClient, type TestUser } from "./test-client.ts";
import { loopTurn, testClock } from "./test-clock.ts";
import { testStorage } from "./test-storage.ts";
import { type WentOut, wentOut } from "./went-out.ts";
import { createWork } from "./work.ts";

/** What the test kit sets itself. */
type SetHere =
  | "admin"
  | "alertUrl"
  | "database"
  | "logLevel"
  | "mail"
  | "previousSecretKeys"
  | "secretKey"
  | "storage"
  | "workers";

/**
 * What `openPostern` and a configuration file take: `handlers`, `resources`, `providers`, `jobs`,
 * `schedules`, and all the rest. Nothing is required.
 */
export interface TestOptions extends Omit<PosternOptions, SetHere> {
  /**
   * `sqlite:./test.db`, `postgres://…` or `mysql://…`. What a test stores there stays there, so name
   * a database that is for tests only. Default: memory.
   */
  readonly database?: string;
  /** The time at which the clock of the test begins. Default: 2026-01-01T00:00:00Z. */
  readonly startAt?: string;
  /**
   * The answers to requests that Postern sends, such as forwarded events, by URL or by
   * `POST <URL>`. A function that throws is a target that cannot be reached. Default: 200 for all.
   */
  readonly answers?: Readonly<
    Record<string, (request: OutboundRequest) => Partial<InboundResponse> | Promise<Partial<InboundResponse>>>
  >;
}

/** Postern in a test. `await using t = await testPostern(…)` stops it at the end of the block. */
export interface TestPostern extends AsyncDisposable {
  /**
   * Sends an event as its sender does: written and signed by its scheme, through the same door as in
   * production. Its jobs start at once; `drain` waits for their end. Without keys in `providers` the
   * sender gets some of its own. With `times` the same delivery comes so often, one after the other,
   * and you get all answers.
   * @throws TypeError for a sender that nothing names.
   */
  deliver(provider: string, event: SentEvent, options?: DeliverOptions): Promise<Delivered>;
  deliver(
    provider: string,
    event: SentEvent,
    options: DeliverOptions & { readonly times: number },
  ): Promise<readonly Delivered[]>;
  /**
   * Runs all jobs that are ready, and those that they make ready, and waits until they have ended.
   * It does not throw what they throw: look at `jobs`. A handler that never ends is ended by its
   * time-out, so use `advance` for that.
   */
  drain(): Promise<void>;
  /**
   * Moves the clock: `"90s"`, `"5m"`, `"24h"`, `"3d"` or milliseconds. On the way it runs what
   * becomes due, each at its time: retries, time-outs, your schedules. If your handlers do I/O of
   * their own, call `drain` before it.
   */
  advance(duration: string | number): Promise<void>;
  /** The time in milliseconds since the epoch, by the clock of the test. */
  now(): number;
  /**
   * The API as this user, over HTTP. The user is made and signed in with the first request.
   * @throws TypeError without the part `users`.
   */
  as(user: TestUser): TestClient;
  /** Mails, requests and alerts that Postern sent. None of them left the process. */
  sent(): WentOut;
  /** The stored events, oldest first: at most 1,000. */
  events(filter?: EventFilter): Promise<readonly EventSummary[]>;
  /**
   * The jobs with their states, attempts and last errors, oldest first: at most 1,000. Postern's own
   * (`postern.…`) are left out, unless you ask for their kind.
   */
  jobs(filter?: JobFilter): Promise<readonly Job[]>;
  /** The rows of a resource, oldest first: at most 1,000. */
  rows(resource: Resource): Promise<readonly Row[]>;
  /** The lines of the log, oldest first, with what handlers have logged. */
  logged(): readonly LogEntry[];
  /** Stores jobs made with `newJob`, and returns their ids. @throws TypeError for an unknown kind. */
  enqueue(...jobs: readonly NewJob[]): Promise<readonly number[]>;
  /** The open Postern, for everything else. */
  readonly postern: Postern;
  /** Ends what runs, and closes the database. A second call waits for the same end. */
  stop(): Promise<void>;
}

const most = 1_000;
const origin = "https://postern.test";
const secretKey = Buffer.alloc(32, "the key of tests");

const startOf = (startAt: string): number => {
  const ms = Date.parse(startAt);
  if (Number.isNaN(ms)) throw new TypeError(`startAt takes a time such as 2026-01-01T00:00:00Z, not ${startAt}`);
  return ms;
};

/** In memory a test makes the same ids in each run. In a database they must be new. */
const seedOf = (database: string | undefined): number => (database === undefined ? 1 : randomBytes(4).readInt32LE());

/** The ports that a test replaces. */
const testPorts = (clock: VirtualClock, { database, answers = {} }: Pick<TestOptions, "answers" | "database">) => {
  const randomness = seededRandomness(seedOf(database));
  return {
    clock,
    randomness,
    ids: uuidV7Source({ clock, randomness }),
    telemetry: memoryTelemetry(),
    alerts: memoryAlerts(),
    mailer: memoryMailer(),
    fetcher: memoryFetcher(answers, { clock, others: () => ({ status: 200 }) }),
    passwordHasher: memoryPasswordHasher(randomness),
    commonPasswords: memoryCommonPasswords(),
  };
};

/**
 * Opens Postern for a test: the same composition as `openPostern`, with adapters that keep
 * everything in the process. Any number of them can be open at the same time.
 * @throws ConfigError for options that cannot work, with a sentence for each fault; TypeError for a
 *   `startAt` or a `database` that cannot be read. Nothing is left running then.
 */
export const testPostern = async (options: TestOptions = {}): Promise<TestPostern> => {
  const { database, startAt = "2026-01-01T00:00:00Z", answers, ports: own, ...rest } = options;
  let settle = loopTurn;
  const clock = testClock(startOf(startAt), () => settle());
  const senders = await sendersOf(options);
  const { adapter, isBusy } = testStorage(options);
  const ports = testPorts(clock, options);
  const publicUrl = options.publicUrl ?? origin;
  const postern = await openPostern({
    ...rest,
    ...(senders.size === 0
      ? {}
      : { providers: Object.fromEntries([...senders].map(([name, { declaration }]) => [name, declaration])) }),
    storage: adapter,
    secretKey,
    publicUrl,
    logLevel: "error",
    workers: false,
    ports: { ...ports, ...own },
  });
  const { storage } = postern.ports;
  const { schedules = [], queues = {} } = options;
  const work = createWork({ app: postern.app, ports: postern.ports, schedules, queues, isBusy });
  await work.start();
  settle = work.settle;
  const api = `${new URL(publicUrl).origin}${options.basePath ?? ""}/api`;
  const clients = createClients({ app: postern.app, fetch: postern.fetch, api, now: clock.now });

  const deliver = async (
    provider: string,
    event: SentEvent,
    { times, ...how }: DeliverOptions & { readonly times?: number } = {},
  ): Promise<Delivered | readonly Delivered[]> => {
    const sender = senders.get(provider);
    if (sender === undefined) {
      const names = [...senders.keys()].join(", ") || "none";
      throw new TypeError(`nothing names a sender "${provider}"; add it to \`providers\`. There are: ${names}`);
    }
    const newId = `evt_${ports.ids.uuid().replaceAll("-", "")}`;
    const needs = { url: `${api}/webhooks/${provider}`, now: clock.now(), newId, fetch: postern.fetch };
    const delivered: Delivered[] = [];
    for (let time = 0; time < (times ?? 1); time += 1) delivered.push(await deliverOne(sender, event, how, needs));
    return times === undefined ? (delivered[0] as Delivered) : delivered;
  };

  const close = async (): Promise<void> => {
    let over = false;
    const ended = work.stop().finally(() => {
      over = true;
    });
    settle = loopTurn;
    // A handler that does not end is given a few seconds, which only this clock lets pass.
    while (!over) await clock.advance(1_000);
    await ended;
    // Nobody holds a connection to it.
    await postern.stop({ quietMs: 0 });
  };
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= close();
    return stopped;
  };

  return {
    // The overloads say when there is one answer and when there are several.
    deliver: deliver as TestPostern["deliver"],
    drain: work.drain,
    advance: async (duration) => clock.advance(durationMs(duration)),
    now: clock.now,
    as: (user) => {
      if (options.parts?.includes("users") === false)
        throw new TypeError('there are no users without the part "users"');
      return clients(user);
    },
    sent: () => wentOut(ports.mailer, ports.fetcher, ports.alerts),
    events: (filter = {}) => storage.events.list({ ...filter, after: 0, limit: most }),
    jobs: async (filter = {}) => {
      const jobs = await storage.jobRecords.list({ ...filter, after: 0, limit: most });
      return filter.kind === undefined ? jobs.filter(({ kind }) => !kind.startsWith("postern.")) : jobs;
    },
    rows: (resource) =>
      storage.resources.list(resource, {
        scope: allRows("a test looks at its rows"),
        order: [{ field: "id", direction: "asc" }],
        limit: most,
      }),
    logged: () => [...ports.telemetry.entries],
    enqueue: postern.enqueue,
    postern,
    stop,
    [Symbol.asyncDispose]: stop,
  };
};
