import { type Operation, tableEntry } from "@postern/rest";

/** Defines an operation of the operators' part: only administrators call it, unless a role has its scope. */
export const adminOperation = <Query = undefined, Body = undefined>(
  operation: Omit<Operation<Query, Body>, "access" | "tag">,
): Operation => tableEntry<Query, Body>({ ...operation, access: "admin", tag: "admin" });
