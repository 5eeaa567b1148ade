import type { Operation } from "../../operations/operation.ts";
import type { OperationEffect } from "../version.ts";

/** Headers that an operation can require, with the member of the operation table for each. */
const demandOf = { "if-match": "requiresIfMatch" } as const satisfies Record<string, keyof Operation>;

/** The newer version requires a header that the older one only accepts. */
export const requireHeader = (header: keyof typeof demandOf): OperationEffect => ({
  on: "operations",
  down: (operation) => {
    const { [demandOf[header]]: _demanded, ...without } = operation;
    return without;
  },
});
