/**
 * `@postern/client/internal`: the operations of the newest version by their ids, for our own packages
 * alone. It may change with any version.
 */
import type { operations } from "./generated/v2.ts";
import type { WholeAnswer } from "./narrowed.ts";

/** The id of an operation, such as `admin.jobs.read`. */
export type OperationId = keyof operations;

/** The parameters in the path of an operation. */
export type PathOf<Id extends OperationId> = operations[Id]["parameters"]["path"] extends infer Path
  ? { readonly [Name in keyof Path]: string }
  : never;

type BodyOf<Response> = Response extends { readonly content: { readonly "application/json": infer Body } }
  ? Body
  : never;

/** The bodies of the answers to a success. */
type Bodies<Responses> = {
  [Status in keyof Responses & (200 | 201 | 202)]: BodyOf<Responses[Status]>;
}[keyof Responses & (200 | 201 | 202)];

/** The body of the answer to an operation that names no `fields`; `undefined` where there is none. */
export type AnswerOf<Id extends OperationId> =
  Bodies<operations[Id]["responses"]> extends infer Body
    ? [Body] extends [never]
      ? undefined
      : WholeAnswer<Body>
    : never;
