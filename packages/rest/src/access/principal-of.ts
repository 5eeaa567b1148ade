import { AppError } from "@postern/core";
import type { Call } from "../operations/operation.ts";
import type { Principal } from "./principal.ts";

/**
 * The caller of an operation that is not public. Dispatch has refused everybody else by now; this
 * function tells the compiler.
 */
export const principalOf = (call: Call): Principal => {
  if (call.principal === undefined) throw new AppError("unauthenticated");
  return call.principal;
};
