import type { Principal } from "../access/principal.ts";
import type { Operation, RequestFacts } from "./operation.ts";

/** A body: the parsed value, and the text it was parsed from. */
export interface RequestBody {
  /** The parsed JSON. */
  readonly value: unknown;
  readonly text: string;
}

/**
 * A request from an adapter. It has been routed to its operation; nothing else has been checked.
 * Dispatch reads each part when it needs it, and reading may throw.
 */
export interface ApiRequest {
  /** The entry of the operation table. */
  readonly operation: Operation;
  readonly facts: RequestFacts;
  readonly params: Readonly<Record<string, string>>;
  /**
   * As they were sent, in order, with repeats. `list` are the pieces of a value between its commas,
   * for a value with further commas that belong to the pieces.
   */
  readonly query: () => readonly (readonly [name: string, value: string, list?: readonly string[]])[];
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /**
   * Reads the body; `undefined` if there is none. It is called only once it is certain that the
   * caller may send one. @throws AppError
   */
  readonly body: () => Promise<RequestBody | undefined>;
  /**
   * Reads the bearer token. If the caller is already known (the command line), the principal
   * itself.
   */
  readonly credential: (() => string | undefined) | Principal;
  /** Called with the principal as soon as it is known. */
  readonly onPrincipal?: (principal: Principal) => void;
}

/** One text, also for a header that was repeated. */
export const headerOf = ({ headers }: ApiRequest, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === "object" ? value.join(", ") : value;
};
