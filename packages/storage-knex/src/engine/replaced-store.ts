import type { AppError } from "@postern/core";
import { unavailable } from "./translate-error.ts";

/**
 * The store is no longer the one that was opened first. What is written now would be missing after
 * a restart, so nothing is accepted.
 */
class StoreReplaced extends Error {
  override readonly name = "StoreReplaced";
}

/** The refusal of everything while the store is another one. The log shows `reason`. */
export const storeReplaced = (reason: string): AppError => unavailable(new StoreReplaced(reason));

/** The reason if `thrown` says that the store was replaced. */
export const replacementIn = (thrown: unknown): string | undefined =>
  thrown instanceof Error && thrown.cause instanceof StoreReplaced ? thrown.cause.message : undefined;
