import assert from "node:assert/strict";
import { AppError, type ErrorCode } from "../errors/index.ts";

/** Asserts that `action` fails with an `AppError` of this code, and returns it. */
export const rejectsWith = async (code: ErrorCode, action: () => Promise<unknown>): Promise<AppError> => {
  const thrown = await action().then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof AppError, `expected AppError ${code}, got ${String(thrown)}`);
  assert.equal(thrown.code, code);
  return thrown;
};
