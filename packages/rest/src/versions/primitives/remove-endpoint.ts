import type { Operation } from "../../operations/operation.ts";
import type { OperationEffect } from "../version.ts";

/**
 * The newer version does not have this operation any more. The older version still answers it, with
 * the `handle` given here, from the data of today.
 */
export const removeEndpoint = (operation: Operation): OperationEffect => ({ on: "operations", restored: [operation] });
