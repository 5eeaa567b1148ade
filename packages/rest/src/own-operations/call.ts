import type { Caller, ReadsOf, Rows, Transaction } from "@postern/core";
import type { LogFields, LogLevel } from "@postern/core/ports";

/** Rows as a caller may read them, by the name of their resource: the plural, with underscores. */
export type CallRows<Named> = ReadsOf<Named> & {
  /** All rows, as your application sees them. The rules for callers do not hold. */
  readonly asSystem: ReadsOf<Named>;
};

/** What the types of a call depend on. */
export interface CallShape {
  readonly query: unknown;
  readonly body: unknown;
  readonly params: Readonly<Record<string, string>>;
  readonly row: unknown;
  /** What the code of the operation answers. */
  readonly answer: unknown;
  /** The rows by name. */
  readonly named: unknown;
}

interface AnyCall extends CallShape {
  readonly named: Rows;
}

/**
 * One call of an operation of your own. The caller may make it, and `input` has been checked. Nothing
 * has been written, and nothing is locked.
 */
export interface Call<Shape extends CallShape = AnyCall> {
  /**
   * The user who calls. `undefined` for a person at the command line of the server, who may do whatever
   * an administrator may, and on a public operation for callers without a credential.
   */
  readonly caller: Caller | undefined;
  /** The parameters of the path, as they were sent. */
  readonly params: Shape["params"];
  /** `input` of a GET or a DELETE: the query, as the schema returns it. */
  readonly query: Shape["query"];
  /** `input` of a POST, PUT or PATCH: the body, as the schema returns it. */
  readonly body: Shape["body"];
  /**
   * With `on`: the row of `{id}`, whole, as it was when the call began. In `write` it may have changed:
   * `tx.rows.invoices.get(id, { hold: true })` reads it again and keeps it from others.
   */
  readonly row: Shape["row"];
  /**
   * Reads rows, those that the caller may read by the resources' own rules. The scope of this operation
   * is enough: the credential need not cover those of other operations. A caller without a credential
   * reads none. Fields are not left out: `output` says what is answered.
   */
  readonly rows: CallRows<Shape["named"]>;
  /**
   * Writes, once for a call, in one transaction. In `tx` are `rows`, `enqueue` and `mail`, which write as
   * your application's code; the rules of callers do not hold for them. What `work` returns is the answer
   * of the operation: return it from `handle`, too. It is checked by `output`, and converted to the
   * version that was asked for, before the commit. The entry in the audit log and the answer under the
   * caller's `Idempotency-Key` are a part of the same commit. `work` must wait for nothing but `tx`, and
   * may run again from its start after a deadlock.
   * @throws what `work` throws; AppError `bad_output` for an answer that does not fit; TypeError for a
   *   second write, and on a GET. Nothing is written then.
   */
  write(work: (tx: Transaction<Shape["named"]>) => Promise<Shape["answer"]>): Promise<Shape["answer"]>;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Writes a line into the server's log, with the operation and the id of the request. */
  readonly log: (level: LogLevel, message: string, fields?: LogFields) => void;
}
