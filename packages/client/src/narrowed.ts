import type { FetchResponse, MaybeOptionalInit } from "openapi-fetch";

/**
 * Leaves out the forms of a row in which every member is optional: these are the selections that
 * `fields` makes.
 */
type WholeRow<Row> = Row extends unknown ? (Record<never, never> extends Row ? never : Row) : never;

/** The whole form of a row; anything else stays as it is. */
type Whole<Data> = [WholeRow<Data>] extends [never] ? Data : WholeRow<Data>;

/** An answer with whole rows: one row, a page of rows, or a plain list of rows. */
type WithWholeRows<Data> = Data extends readonly (infer Item)[]
  ? Whole<Item>[]
  : Data extends { data: readonly (infer Item)[] }
    ? Omit<Data, "data"> & { data: Whole<Item>[] }
    : Data;

type AnyForm<Data> = Data extends readonly unknown[] | { data: readonly unknown[] } ? "list" : "row";

/** An answer whose rows have all their members. */
export type WholeAnswer<Data> = AnyForm<Data> extends "list" ? WithWholeRows<Data> : Whole<Data>;

/** Whether a request names `fields`, or may name them. */
type NamesFields<Init> = Init extends { params: { query: infer Query } }
  ? "fields" extends keyof Query
    ? true
    : false
  : false;

type Narrowed<Result, Init> =
  NamesFields<Init> extends true
    ? Result
    : Result extends { data: infer Data; response: Response }
      ? Omit<Result, "data"> & { data: WholeAnswer<Data> }
      : Result;

type PathsWith<Paths, Method> = {
  [Path in keyof Paths]: Paths[Path] extends Record<Method & string, object> ? Path : never;
}[keyof Paths];

// biome-ignore lint/suspicious/noExplicitAny: the constraint of openapi-fetch
type Operation = Record<string | number, any>;

type OperationAt<Paths, Path extends keyof Paths, Method> = Method extends keyof Paths[Path]
  ? Extract<Paths[Path][Method], Operation>
  : never;

/** Names of the members that a request must have. */
type RequiredNames<Init> = {
  [Name in keyof Init]-?: undefined extends Init[Name] ? never : Name;
}[keyof Init];

type InitParameter<Init> =
  RequiredNames<Init> extends never ? [(Init & { [key: string]: unknown })?] : [Init & { [key: string]: unknown }];

/**
 * A method of openapi-fetch. The rows of its answer are whole unless the request names `fields`.
 */
export type NarrowedMethod<Paths, Method extends string> = <
  Path extends PathsWith<Paths, Method>,
  Init extends MaybeOptionalInit<Paths[Path], Method & keyof Paths[Path]>,
>(
  url: Path,
  ...init: InitParameter<Init>
) => Promise<Narrowed<FetchResponse<OperationAt<Paths, Path, Method>, Init, `${string}/${string}`>, Init>>;
