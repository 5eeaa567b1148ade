import type { AppError } from "@postern/core";
import type { Principal } from "../access/principal.ts";
import type { Operation, RequestFacts } from "./operation.ts";

/** A body: the parsed value, and the text it was parsed from. */
export interface RequestBody {
  /** The parsed JSON. */
  readonly value: unknown;
  readonly text: string;
}

/**
 * The parameters of a query, in order, with repeats. `list` are the pieces of a value between its
 * commas, for a value with further commas that belong to the pieces.
 */
export type QueryPairs = readonly (readonly [name: string, value: string, list?: readonly string[]])[];

/**
 * A request from an adapter. It has been routed to its operation; nothing else has been checked. A
 * part that cannot be read is the error that says so: dispatch throws it when its turn comes.
 */
export interface ApiRequest {
  /** The entry of the operation table. */
  readonly operation: Operation;
  readonly facts: RequestFacts;
  readonly params: Readonly<Record<string, string>>;
  readonly query: QueryPairs | AppError;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bearer token. */
  readonly credential: string | AppError | undefined;
  /** A caller who is already known (the command line). They need no credential and have no limits. */
  readonly principal?: Principal;
  /**
   * Reads the body; `undefined` if there is none. It is called once, right before the work: the
   * caller may call the operation, and their turn has come. @throws AppError
   */
  readonly body: () => Promise<RequestBody | undefined>;
  /** Called with the principal as soon as it is known. */
  readonly onPrincipal?: (principal: Principal) => void;
}
