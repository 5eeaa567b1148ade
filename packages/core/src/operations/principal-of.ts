import type { Principal } from "../auth/principal.ts";
import { AppError } from "../errors/index.ts";
import type { Call } from "./operation.ts";

/** The caller of an operation that is not public. Dispatch has refused everybody else; this says so to the compiler. */
export const principalOf = (call: Call): Principal => {
  if (call.principal === undefined) throw new AppError("unauthenticated");
  return call.principal;
};
