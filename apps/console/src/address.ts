import type { paths } from "../../../packages/client/src/generated/v2.ts";
import type { WholeAnswer } from "../../../packages/client/src/narrowed.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** What can be read. */
export interface Readable<Answer> {
  readonly GET: { readonly answer: Answer };
}

/** What one method takes and answers. */
export interface Operation {
  readonly answer: unknown;
  readonly body?: unknown;
}

type Json<Of> = Of extends { content: { "application/json": infer Value } } ? Value : undefined;

/** The row, or the page of rows, with these members alone; with none named, whole. */
type With<Answer, Field extends string> = [Field] extends [never]
  ? Answer
  : Answer extends { data: readonly (infer Row)[] }
    ? Omit<Answer, "data"> & { data: Pick<Row, Field & keyof Row>[] }
    : Pick<Answer, Field & keyof Answer>;

type AnswerIn<Responses, Field extends string> = With<
  WholeAnswer<
    { [Status in keyof Responses & (200 | 201 | 202)]: Json<Responses[Status]> }[keyof Responses & (200 | 201 | 202)]
  >,
  Field
>;

/** What a form may send: the API says which words a text may be. */
type Sendable<Value> = Value extends string
  ? string
  : Value extends readonly (infer Item)[]
    ? readonly Sendable<Item>[]
    : Value extends object
      ? { readonly [Name in keyof Value]: Sendable<Value[Name]> }
      : Value;

type BodyIn<Of> = Of extends { requestBody?: infer Body } ? Sendable<Json<NonNullable<Body>>> : undefined;

/** The operations of a path, by their methods. */
type OperationsOf<Path extends keyof paths, Field extends string = never> = {
  readonly [Name in keyof paths[Path] as paths[Path][Name] extends { responses: unknown }
    ? Uppercase<Name & string> & Method
    : never]: paths[Path][Name] extends { responses: infer Responses }
    ? { readonly answer: AnswerIn<Responses, Field>; readonly body: BodyIn<paths[Path][Name]> }
    : never;
};

declare const operations: unique symbol;

/** Where operations are. The compiler knows by it what they take and answer. */
export type Address<Operations> = string & { readonly [operations]: Operations };

/** What reading a path answers. */
export type Answer<Path extends keyof paths> =
  OperationsOf<Path> extends { GET: { answer: infer Read } } ? Read : never;

/** What is posted to a path. */
export type Posted<Path extends keyof paths> = OperationsOf<Path> extends { POST: { body: infer Body } } ? Body : never;

/** A row of a list. */
export type RowOf<Path extends keyof paths> = Answer<Path> extends { data: readonly (infer Row)[] } ? Row : never;

/** The names in braces. */
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

type QueryOf<Path extends keyof paths> = paths[Path] extends { get: { parameters: { query?: infer Asked } } }
  ? { readonly [Name in Exclude<keyof NonNullable<Asked>, "fields">]?: QueryValue }
  : unknown;

type QueryValue = string | number | readonly string[] | undefined;

/** The path of an operation with its query, in place of what it has of that; values that are empty are left out. */
export const withQuery = <Path extends string>(path: Path, query: Readonly<Record<string, QueryValue>>): Path => {
  const [bare, before] = path.split("?", 2);
  const asked = new URLSearchParams(before);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") asked.set(name, String(value));
  }
  return `${bare}${asked.size === 0 ? "" : `?${asked}`}` as Path;
};

interface Api {
  <Path extends keyof paths>(path: NamesIn<Path> extends never ? Path : never): Address<OperationsOf<Path>>;
  <Path extends keyof paths, const Field extends string = never>(
    path: Path,
    given: Readonly<Record<NamesIn<Path>, string>> & QueryOf<Path> & { readonly fields?: readonly Field[] },
  ): Address<OperationsOf<Path, Field>>;
}

/** The address of a path of the document, with the values of its names in braces and of its query. */
export const api: Api = (path: string, given: Readonly<Record<string, QueryValue>> = {}) => {
  const query = { ...given };
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    const value = String(query[name]);
    delete query[name];
    return encodeURIComponent(value);
  });
  return withQuery(filled, query) as Address<never>;
};
