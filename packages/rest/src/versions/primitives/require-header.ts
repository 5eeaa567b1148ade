import type { Operation } from "../../operations/operation.ts";
import type { OperationEffect } from "../version.ts";

/** Headers that an operation can demand, by the member of the operation table that says so. */
const demandOf = { "if-match": "requiresIfMatch" } as const satisfies Record<string, keyof Operation>;

/** The newer version demands a header where the older one only takes it. */
export const requireHeader = (header: keyof typeof demandOf): OperationEffect => ({
  on: "operations",
  down: (operation) => {
    const { [demandOf[header]]: _demanded, ...without } = operation;
    return without;
  },
});
