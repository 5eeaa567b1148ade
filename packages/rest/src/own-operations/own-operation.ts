import type { AccessRule, Resource, Rows, RowsOf, StandardSchema } from "@postern/core";
import type { Method } from "../operations/operation.ts";
import type { Call, CallShape } from "./call.ts";

/** A Zod schema, or one of another library that implements Standard Schema (standardschema.dev). */
type Schema = StandardSchema<unknown, unknown>;

type Types<One> = One extends { readonly "~standard": { readonly types?: infer Known } } ? NonNullable<Known> : never;
type Taken<One> = Types<One> extends { readonly output: infer Value } ? Value : undefined;
type Given<One> = Types<One> extends { readonly input: infer Value } ? Value : never;

/** The rows of one resource. */
type RowIn<One> = One extends Resource
  ? RowsOf<readonly [One]> extends Readonly<Record<string, infer Store>>
    ? Store extends { get(id: string): Promise<infer Row> }
      ? Row
      : never
    : never
  : undefined;

type ParametersIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParametersIn<Rest>
  : never;

/** What `handle` returns: a row of the resource, a value for the schema, or anything, which is not answered. */
type AnswerOf<Output> = Output extends Resource ? RowIn<Output> : Output extends Schema ? Given<Output> : unknown;

/** Whether an operation takes its input as a query. */
type Queries = "GET" | "DELETE";

interface ShapeOfCall<Op extends Parts> extends CallShape {
  readonly query: Op["method"] extends Queries ? Taken<Op["input"]> : undefined;
  readonly body: Op["method"] extends Queries ? undefined : Taken<Op["input"]>;
  readonly params: { readonly [Name in ParametersIn<Op["path"]>]: string };
  readonly row: RowIn<Op["on"]>;
  readonly answer: AnswerOf<Op["output"]>;
  readonly named: readonly Resource[] extends Op["resources"] ? Rows : RowsOf<Op["resources"]>;
}

/** What the types of one operation follow from. */
interface Parts {
  readonly method: Method;
  readonly path: string;
  readonly on: Resource | undefined;
  readonly resources: readonly Resource[];
  readonly input: Schema | undefined;
  readonly output: Schema | Resource | undefined;
}

/** What an operation of your own consists of. */
interface OperationDefinition<Op extends Parts> {
  /**
   * Stable: `invoices.send`. Letters, digits, `_` and `-`, in one or more parts with points between.
   * It is the `operationId` in documents, and the name in the audit log. `admin.…` is Postern's own.
   */
  readonly id: string;
  readonly method: Op["method"];
  /**
   * Below the version, with parameters in braces: `/invoices/{id}/send`, `/search`. A parameter is one
   * whole segment.
   */
  readonly path: Op["path"];
  /** What it does, in a few words, for documents: `Send an invoice`. */
  readonly summary: string;
  /**
   * Who may call it. `"public"`: everybody. `signedIn`: every user. `withRole("accountant")`: users with
   * one of these roles, and administrators. With `on`, any rule: who may do this to which rows.
   */
  readonly access: "public" | AccessRule;
  /**
   * The resource whose row `{id}` names. The row is loaded under `access`, and is `call.row`. A caller who
   * may not reach it gets the same 404 as for a row that does not exist.
   */
  readonly on?: Op["on"];
  /** The resources whose rows it uses by name, for the types of `rows`. Default: any, untyped. */
  readonly resources?: Op["resources"];
  /**
   * What it takes: the body of a POST, PUT or PATCH, the query of a GET or DELETE. An object. Values of
   * a query are texts: `z.coerce.number()` makes a number of one. A Zod schema must not be asynchronous. A plain `z.object` refuses members that
   * it does not name. Documents describe a schema of another library by its Standard JSON Schema; without
   * one, a body is described as any object, and a query cannot be taken. Version changes of the body's
   * members name the resource `<id>.input`.
   */
  readonly input?: Op["input"];
  /**
   * What it answers, checked before anything is committed. A resource: a row of it, with the fields that
   * the caller may read, and in the form of each version. Version changes of any other answer's members
   * name the resource `<id>.output`. Without `output` the answer is 204, empty.
   */
  readonly output?: Op["output"];
  /** The status of its answer. Default: 200, or 204 without `output`. */
  readonly status?: 200 | 201 | 202;
  /** The codes with which it refuses, by `throw new Refused(code, …)`, each with a sentence for documents. */
  readonly errors?: Readonly<Record<string, string>>;
  /**
   * Whether a POST, PATCH or DELETE is done once for an `Idempotency-Key`. Default: true. Callers without
   * a credential need a key of at least 16 characters.
   */
  readonly idempotent?: boolean;
  /**
   * The scope that API keys and clients need: two words such as `invoices:send`. Default: the group and
   * `read` for a GET, `write` for the others. A public operation has none unless it is named here.
   */
  readonly scope?: string;
  /**
   * For what cannot be undone: the question that console and command line ask before they call it.
   */
  readonly confirm?: string;
  /**
   * Does the work, and returns the answer. It may read, and wait for other services, as long as it likes;
   * what it writes is in `call.write`. A POST, PUT, PATCH or DELETE that does not write has its entry in
   * the audit log all the same.
   * @throws Refused with a code of `errors`; AppError.
   */
  handle(call: Call<ShapeOfCall<Op>>): Promise<AnswerOf<Op["output"]>>;
}

/** The parts of an operation that nobody knows more about. */
interface AnyParts extends Parts {}

declare const declared: unique symbol;

/** An operation of your own, made with `defineOperation`. */
export interface OwnOperation extends Readonly<Omit<OperationDefinition<AnyParts>, "handle">> {
  /** For the compiler only. */
  readonly [declared]?: never;
  handle(call: never): Promise<unknown>;
}

const made = new WeakSet<object>();

/** Whether a value was made by `defineOperation`. */
export const isOwnOperation = (value: unknown): value is OwnOperation =>
  typeof value === "object" && value !== null && made.has(value);

/**
 * Declares an operation of your own. Give it to `operations` of the configuration, of `openPostern` or
 * `createApp`. It is in every version's document, and has limits, audit, scopes and idempotency keys like
 * every other. What is wrong with a declaration stops the start, with all faults at once.
 */
export const defineOperation = <
  const GivenMethod extends Method,
  const Path extends string,
  On extends Resource | undefined = undefined,
  const Used extends readonly Resource[] = readonly Resource[],
  Input extends Schema | undefined = undefined,
  Output extends Schema | Resource | undefined = undefined,
>(
  definition: OperationDefinition<{
    readonly method: GivenMethod;
    readonly path: Path;
    readonly on: On;
    readonly resources: Used;
    readonly input: Input;
    readonly output: Output;
  }>,
): OwnOperation => {
  const operation = Object.freeze({ ...definition });
  if (typeof definition === "object") made.add(operation);
  return operation as OwnOperation;
};
