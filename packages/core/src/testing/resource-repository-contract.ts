import type { Storage } from "../ports/storage.ts";
import type { Contract } from "./contract.ts";
import { resourceReadingContract } from "./resource-reading-contract.ts";
import { resourceWritingContract } from "./resource-writing-contract.ts";

/**
 * What every `ResourceRepository` promises, on a fresh storage that knows the built-in resources.
 */
export const resourceRepositoryContract: Contract<Storage> = { ...resourceReadingContract, ...resourceWritingContract };
