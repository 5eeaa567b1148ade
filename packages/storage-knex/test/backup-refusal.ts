import { BackupRefused } from "../src/index.ts";

/** Why a backup or a restore was refused: `reason: message`. @throws Error if it was not. */
export const refusalOf = async (work: Promise<unknown>): Promise<string> => {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof BackupRefused)) throw new Error("no refusal", { cause: thrown });
  return `${thrown.reason}: ${thrown.message}`;
};
