import type { Operation } from "../../operations/operation.ts";
import type { OperationEffect } from "../version.ts";

/** The newer version has no such operation any more; the older one goes on answering it as it is given here, out of what there is today. */
export const removeEndpoint = (operation: Operation): OperationEffect => ({ on: "operations", restored: [operation] });
