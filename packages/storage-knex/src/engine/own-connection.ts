import type { Knex } from "knex";
import type { Dialect } from "./dialect.ts";
import type { Session } from "./session.ts";

/** A connection in a transaction that the application has begun itself. */
interface OwnConnection {
  /** The driver's connection. */
  open(): Promise<object>;
  /** The transaction, if it is one of Knex. */
  readonly trx: Knex.Transaction | undefined;
}

type Members = Readonly<Record<string, unknown>>;

const membersOf = (given: unknown): Members =>
  (typeof given === "object" || typeof given === "function") && given !== null
    ? // Every object has members; each is asked what it is.
      (given as Members)
    : {};

const has = (given: Members, ...methods: readonly string[]): boolean =>
  methods.every((method) => typeof given[method] === "function");

const products = { sqlite: "SQLite", mysql: "MySQL or MariaDB", postgres: "PostgreSQL" } as const;
/** What Knex calls them. */
const dialects: Readonly<Record<string, Dialect["name"]>> = {
  sqlite3: "sqlite",
  mysql: "mysql",
  postgresql: "postgres",
};
/** What is taken beside a transaction of Knex. */
const others = { sqlite: "", mysql: ", or a connection of mysql2", postgres: ", or a client of pg" } as const;

const refused = (why: string, cause?: unknown): TypeError => new TypeError(`within: ${why}`, { cause });

/** The transaction of the application is over, or there is none. */
export const notBegun = (): TypeError =>
  refused("your transaction has ended or was not begun; begin one, and call `within` for each");

/** The transaction of the application cannot be committed any more. */
export const hasFailed = (): TypeError =>
  refused("a statement of your transaction has failed, so it cannot be committed; roll it back");

/** The connection does not lead to Postern's tables. */
export const isElsewhere = (cause?: unknown): TypeError =>
  refused("this connection leads to another database than Postern's, or does not find its tables there", cause);

/** A setting of the application's session would change what is stored or read. */
export const hasSetting = (name: string, value: string, instead: string): TypeError =>
  refused(
    `${name} of your connection is ${value}, with which Postern's rows would be stored or read wrongly; ${instead}`,
  );

const requireProduct = (found: Dialect["name"] | undefined, name: Dialect["name"]): void => {
  if (found === name) return;
  const other = found === undefined ? "of another database" : `of ${products[found]}`;
  throw refused(`Postern's database is ${products[name]}, and this connection is ${other}`);
};

/** What mysql2's promises wrap. */
const unwrapped = (given: Members): Members => {
  const inner = membersOf(given.connection);
  return kindOf(inner) === "mysql" ? inner : given;
};

const kindOf = (given: Members): Dialect["name"] | undefined => {
  if (has(given, "query", "execute") && "config" in given) return "mysql";
  return has(given, "query") && "connectionParameters" in given ? "postgres" : undefined;
};

const isPool = (given: Members): boolean =>
  has(given, "getConnection") || (has(given, "query", "connect") && typeof given.totalCount === "number");

/**
 * The connection of what the application gave as its transaction.
 * @throws TypeError for what is none, and for a connection that cannot lead to Postern's database.
 */
export const ownConnectionOf = (given: unknown, name: Dialect["name"]): OwnConnection => {
  const members = membersOf(given);
  if (members.isTransaction === true && has(members, "isCompleted")) {
    const trx = given as Knex.Transaction;
    const client = trx.client as Knex.Client & { readonly dialect?: string };
    requireProduct(dialects[client.dialect ?? ""], name);
    // In a transaction, this is the connection of the transaction.
    return { open: () => client.acquireConnection(), trx };
  }
  if (typeof given === "function" && "client" in given) {
    throw refused("this is Knex itself, which runs each statement on any connection; give it the transaction");
  }
  if (isPool(members)) {
    throw refused("this is a pool, which runs each statement on any connection; give it that of your transaction");
  }
  const connection = unwrapped(members);
  const kind = kindOf(connection);
  if (kind === undefined || name === "sqlite") throw refused(`give it a transaction of Knex${others[name]}`);
  requireProduct(kind, name);
  return { open: async () => connection, trx: undefined };
};

/**
 * Opens the session on a connection, by `begin` and once. Each call asks whether the transaction goes on:
 * Knex's itself, another one by `requireBegun`.
 * @throws TypeError once the transaction has ended.
 */
export const sessionOn = (
  { open, trx }: OwnConnection,
  begin: (connection: object) => Promise<Session>,
  requireBegun: (connection: object) => Promise<void> = async () => undefined,
): (() => Promise<Session>) => {
  let opened: Promise<Session> | undefined;
  return async () => {
    if (trx?.isCompleted() === true) throw notBegun();
    const connection = await open();
    if (trx === undefined) await requireBegun(connection);
    opened ??= begin(connection);
    return opened;
  };
};

/** Runs `action` after the commit of Knex's transaction. Nothing tells of the end of others: then it returns false. */
export const afterCommitOf = (trx: Knex.Transaction | undefined, action: () => void): boolean => {
  trx?.executionPromise.then(action, () => undefined);
  return trx !== undefined;
};
