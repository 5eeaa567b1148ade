import type { AnswerOf, OperationId, PathOf } from "@postern/client/internal";
import type { AnswerStream } from "@postern/core";

export type { AnswerOf, OperationId, PathOf };

/** A call of an operation of the newest version. */
export interface OperationCall<Id extends OperationId = OperationId> {
  readonly operation: Id;
  readonly params?: PathOf<Id>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** What most commands work with: the operations of the API. */
export interface Operations {
  /**
   * Runs an operation and returns its body: on the database as the operator, on a running server as
   * the user of the key. An older server may lack members of the body.
   * @throws CommandError
   */
  run<Id extends OperationId>(call: OperationCall<Id>): Promise<AnswerOf<Id>>;
  /**
   * The same for an operation that answers with a stream.
   * @throws CommandError; `next` throws one if the stream breaks off.
   */
  stream(call: OperationCall): Promise<AnswerStream>;
  /**
   * What the operation asks before it does what cannot be undone; `undefined` if it asks nothing.
   * @throws CommandError
   */
  question(operation: OperationId): Promise<string | undefined>;
}
