import { AppError } from "@postern/core";
import type { Call } from "../operations/operation.ts";
import type { Principal } from "./principal.ts";

/**
 * The caller of an operation that is not public. Dispatch has already refused requests without one;
 * this function tells the compiler so.
 */
export const principalOf = (call: Call): Principal => {
  if (call.principal === undefined) throw new AppError("unauthenticated");
  return call.principal;
};
