import type { IncomingMessage, ServerResponse } from "node:http";
import type { Caller, NewJob, OwnTransaction, Ports, Resource, Rows, RowsOf, Transaction } from "@postern/core";
import { type FetchContext, gatewayFetch } from "@postern/http/fetch";
import { callerRequest } from "@postern/http/internal";
import { gatewayListener } from "@postern/http/node";
import { gatewayMiddleware } from "@postern/http-koa";
import {
  type apiKey,
  type Composition,
  type comment,
  composeEmbedded,
  type EmbeddedOptions,
  type grant,
  type post,
  type session,
  type user,
} from "@postern/server";
import { createNesting } from "./nesting.ts";

/**
 * Everything that a configuration file may say (senders, handlers, resources, limits, …), and what a
 * server reads from its environment: docs/configuration.md lists it. Only `database` is required, or
 * `storage` in its place. By default nobody can sign up by themselves, there is no console, and the
 * log begins with warnings.
 */
export interface PosternOptions extends EmbeddedOptions {}

/** An open Postern. Mount `listener`, `fetch`, `koa` or `nest` in front of any body parser. */
export interface Postern extends AsyncDisposable {
  /** The application without HTTP: `run` calls an operation, `enqueue` stores jobs. */
  readonly app: Composition["app"];
  /** All ports, such as `storage` and `clock`. */
  readonly ports: Ports;
  /**
   * For `node:http`, Express (`app.use("/postern", postern.listener)`) and, in an `onRequest` hook,
   * Fastify. Calls `next`, if it gets one, for paths that are not Postern's.
   */
  readonly listener: (req: IncomingMessage, res: ServerResponse, next?: () => void) => Promise<void>;
  /** For Hono, Next.js and whatever else has a `Request` and takes a `Response`. */
  readonly fetch: (request: Request, context?: FetchContext) => Promise<Response>;
  /** A middleware of Koa. */
  readonly koa: ReturnType<typeof gatewayMiddleware>;
  /** A middleware of NestJS on Express: `app.use("/postern", postern.nest)` before `app.listen`. */
  readonly nest: Postern["listener"];
  /**
   * Who sent a request that your own routes answer: a web `Request`, or a message of `node:http`
   * (Express gives you one; Koa has it as `ctx.req`, Fastify and NestJS on it as `request.raw`). Access
   * tokens, API keys and tokens of an outside issuer count as in the API, and so do limits: a request
   * counts for its user, or for its address if it has no valid credential. `undefined` without a
   * credential. The body is not touched. A `Request` has no address: pass `context.address`, or all
   * such callers without a valid credential share one.
   * @throws AppError, whose `status` and `headers` you answer with: `invalid_token`, `token_expired`;
   *   `unauthenticated` for another scheme than Bearer, `multiple_credentials`, `rate_limited`,
   *   `unavailable`; with an outside issuer also `account_exists`, `address_unverified`, `forbidden`,
   *   `insufficient_scope`.
   */
  authenticate(request: Request | IncomingMessage, context?: FetchContext): Promise<Caller | undefined>;
  /**
   * Stores jobs made with `newJob`, and returns their ids. When it resolves, they are on disk.
   * @throws TypeError for a kind that this application does not have, and inside a transaction, where
   *   `tx.enqueue` belongs.
   */
  enqueue(...jobs: readonly NewJob[]): Promise<readonly number[]>;
  /**
   * Runs `work` in one transaction on Postern's own database. `tx` has `rows`, `enqueue`, and `knex` for
   * tables of your own. All of it is committed together, or nothing is. When it resolves, all is on
   * disk, and the jobs may run. Wait for nothing but `tx` in it: on SQLite, other writers wait for your
   * work, and it fails after 5 seconds.
   *
   * After a deadlock or a lost connection, `work` runs again from its start, up to three times, within
   * 4 seconds; on SQLite also after a failure of another transaction that shared the commit. What it did
   * outside `tx` is then done twice. Transactions are read committed, so none ends with a serialization
   * failure.
   * @throws what `work` throws, also errors of the driver; TypeError inside another transaction;
   *   AppError `unavailable` when the database cannot be reached or stays busy. If the connection was
   *   lost during the commit, it is not known whether the transaction was stored.
   */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result>;
  /**
   * Rows and jobs that are written by a transaction of your own, on Postern's database: a transaction
   * of Knex, or a connection of `pg` or `mysql2` on which you have begun one. They are committed and
   * rolled back with it. Use the result until the transaction ends.
   *
   * Nothing runs again by itself. After a deadlock or a serialization failure you get the driver's
   * error; roll back, and begin again from your start. Workers are told after the commit of a
   * transaction of Knex. After that of another connection they find the jobs within a second. On
   * SQLite only Knex shares transactions, and Postern's own writes wait while yours is open.
   * @throws TypeError unless it is a transaction on Postern's database, where the storage has no such
   *   transactions, as in memory, and inside `transaction`. A pool is not one. `rows` and `enqueue` throw a
   *   TypeError if the transaction has not begun, has failed or has ended, or if it is in another
   *   database.
   */
  within(transaction: OwnTransaction): Pick<Transaction, "rows" | "enqueue">;
  /** All metrics in the Prometheus text format. */
  metrics(): Promise<string>;
  /**
   * Stops. Call it beside the `close` of your server, and wait for nothing in between:
   * `server.close(); await postern.stop();`. It ends the feeds of open consoles at once, and answers
   * what still arrives on open connections, with `Connection: close`, until `quietMs` (default 500)
   * pass without a request, at most for 8 s. What comes later is answered 503. Meanwhile it starts no
   * further jobs, waits up to 8 s (`limits.stopJobsMs`) for those that run, and gives back the others.
   * It closes the database last. A second call waits for the same end.
   */
  stop(options?: { readonly quietMs?: number }): Promise<void>;
}

/** Rows that an application may have besides its own; its parts say which. */
type BuiltInRows<User extends Resource> = Partial<
  RowsOf<readonly [User, typeof session, typeof apiKey, typeof grant, typeof post, typeof comment]>
>;

type RowsWith<Resources extends readonly Resource[], User extends Resource> = number extends Resources["length"]
  ? Rows
  : RowsOf<Resources> & BuiltInRows<User>;

/**
 * A Postern whose transactions give the rows of these resources, and of this user, with their types. It is
 * a `Postern`, too.
 */
export type PosternWith<Resources extends readonly Resource[], User extends Resource = typeof user> = {
  /** As `transaction` of every `Postern`, with the types of the rows. */
  transaction<Result>(work: (tx: Transaction<RowsWith<Resources, User>>) => Promise<Result>): Promise<Result>;
  /** As `within` of every `Postern`, with the types of the rows. */
  within(transaction: OwnTransaction): Pick<Transaction<RowsWith<Resources, User>>, "rows" | "enqueue">;
} & Postern;

/**
 * Opens Postern inside your application: brings the tables up to date, and runs jobs in this
 * process. Users cannot sign up by themselves unless you say `signup: "open"`; with
 * `parts: ["inbox"]` there are no users and no tables for them.
 * @throws ConfigError for options that cannot work, with a sentence for each fault; or what the
 *   database throws. Nothing is left running then.
 */
export const openPostern = async <const Resources extends readonly Resource[], User extends Resource = typeof user>(
  options: PosternOptions & { readonly resources?: Resources; readonly user?: User },
): Promise<PosternWith<Resources, User>> => {
  const nesting = createNesting();
  const { composition, gateway } = await composeEmbedded(options, nesting);
  const { app, ports } = composition;
  const runner = options.workers === false ? undefined : composition.runner();
  await runner?.start().catch(async (thrown: unknown) => {
    await composition.close();
    throw thrown;
  });
  void composition.tryAlerts();
  const listener = gatewayListener(gateway);
  // Its routes take a tenth of the time to open, and most applications need none.
  let koa: Postern["koa"] | undefined;
  const close = async (quietMs: number): Promise<void> => {
    await Promise.all([gateway.drain(quietMs), runner?.stop(options.limits?.stopJobsMs ?? 8_000)]);
    await composition.close();
  };
  let stopped: Promise<void> | undefined;
  const stop = ({ quietMs = 500 }: { readonly quietMs?: number } = {}): Promise<void> => {
    stopped ??= close(quietMs);
    return stopped;
  };
  const postern: Postern = {
    app,
    ports,
    listener,
    nest: listener,
    fetch: gatewayFetch(gateway),
    get koa() {
      koa ??= gatewayMiddleware(gateway);
      return koa;
    },
    authenticate: async (request, { address } = {}) =>
      app.authenticate(callerRequest(gateway.settings, request, address)),
    enqueue: async (...jobs) => {
      nesting.refuse("enqueue");
      return app.enqueue(...jobs);
    },
    transaction: async (work) => {
      nesting.refuse("transaction");
      return app.transaction((tx) => nesting.inside(() => work(tx)));
    },
    within: (transaction) => {
      nesting.refuse("within");
      return app.within(transaction);
    },
    metrics: async () => {
      await composition.measure();
      return composition.metrics();
    },
    stop,
    [Symbol.asyncDispose]: () => stop(),
  };
  // The names of its rows are known to the compiler only.
  return postern as PosternWith<Resources, User>;
};
