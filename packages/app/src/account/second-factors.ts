import { AppError, allRows, type Ports, type ResourceRepository, type Row } from "@postern/core";
import { challenge } from "@postern/rest";
import { z } from "zod";
import { secondFactor } from "../resources/second-factor.ts";

const system = allRows("second factors");
/** RFC 6238, section 5.2. */
const stepMs = 30_000;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const recoveryForm = /^[A-Z2-7]{4}(?:-[A-Z2-7]{4}){3}$/;

/** A code of the app or a recovery code. */
export const presentedCode = z
  .string()
  .min(6)
  .max(32)
  .meta({
    writeOnly: true,
    description: "Six digits of the authenticator app, or a recovery code.",
    examples: ["123456"],
  });

type FactorPorts = Pick<Ports, "storage" | "secretBox" | "clock" | "oneTimeCodes">;

const contextOf = (userId: string): string => `second-factor ${userId}`;

/**
 * Encodes bytes in base 32 without padding (RFC 4648, section 6), the form that authenticator apps
 * read.
 */
export const base32 = (bytes: Uint8Array): string => {
  let bits = "";
  for (const byte of bytes) bits += byte.toString(2).padStart(8, "0");
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, "0"), 2)]).join("");
};

const bytesOf = (text: string): Uint8Array => {
  const bits = [...text].map((sign) => alphabet.indexOf(sign).toString(2).padStart(5, "0")).join("");
  return Uint8Array.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)));
};

/** A secret as rows store it. */
export const sealSecret = ({ secretBox }: Pick<Ports, "secretBox">, userId: string, secret: string): Promise<string> =>
  secretBox.seal(secret, contextOf(userId));

/** A recovery code: 80 random bits in four groups. */
export const newRecoveryCode = ({ randomness }: Pick<Ports, "randomness">): string =>
  (base32(randomness.bytes(10)).match(/.{4}/g) ?? []).join("-");

export const digestOfRecovery = (
  { secretBox }: Pick<Ports, "secretBox">,
  userId: string,
  code: string,
): Promise<string> => secretBox.digest(`${contextOf(userId)} ${code}`);

/**
 * A change of a second factor that uses up a code. It is valid only for the revision that was read.
 */
export interface UsedCode {
  readonly userId: string;
  readonly revision: number;
  readonly changes: Row;
}

/** Compares codes of the same form in constant time. */
const isSame = (left: string, right: string): boolean => {
  let difference = left.length ^ right.length;
  for (let at = 0; at < left.length; at += 1) difference |= left.charCodeAt(at) ^ right.charCodeAt(at);
  return difference === 0;
};

/**
 * The time step of a code: the present one, or one directly before or after it (RFC 6238, section
 * 5.2).
 */
const stepOf = async (
  { clock, oneTimeCodes }: FactorPorts,
  secret: string,
  code: string,
): Promise<number | undefined> => {
  const present = Math.floor(clock.now() / stepMs);
  let found: number | undefined;
  for (const step of [present - 1, present, present + 1]) {
    if (isSame(await oneTimeCodes.code(bytesOf(secret), step), code)) found = step;
  }
  return found;
};

/**
 * Checks a code of the app, or a recovery code. The code counts only once `useCode` has written
 * what this returns. `undefined` for a wrong code and for one that was used.
 */
export const checkCode = async (ports: FactorPorts, userId: string, given: string): Promise<UsedCode | undefined> => {
  const factor = await ports.storage.resources.find(secondFactor, userId, system);
  if (factor === undefined) return undefined;
  const used = (changes: Row): UsedCode => ({ userId, revision: Number(factor.revision), changes });
  const code = given.replaceAll(/\s/g, "").toUpperCase();
  if (/^\d{6}$/.test(code)) {
    const secret = await ports.secretBox.open(String(factor.sealed_secret), contextOf(userId));
    const step = await stepOf(ports, secret, code);
    return step === undefined || step <= Number(factor.last_step) ? undefined : used({ last_step: step });
  }
  if (!recoveryForm.test(code)) return undefined;
  const digest = await digestOfRecovery(ports, userId, code);
  const left = Array.isArray(factor.recovery_digests) ? factor.recovery_digests.map(String) : [];
  return left.includes(digest) ? used({ recovery_digests: left.filter((one) => one !== digest) }) : undefined;
};

export const wrongCode = (): AppError =>
  new AppError("invalid_credentials", { detail: "The code is wrong or was already used.", headers: challenge() });

/**
 * Uses up a code, and writes other changes of the factor. Of two callers with the same code, only
 * one succeeds. Call it inside the transaction of the code's effect.
 * @throws AppError `invalid_credentials`.
 */
export const useCode = async (
  resources: ResourceRepository,
  { userId, revision, changes }: UsedCode,
  more: Row = {},
) => {
  const row = { id: userId, scope: system };
  const result = await resources.update(secondFactor, row, { ...changes, ...more }, { expectedRevision: revision });
  if (result !== "done") throw wrongCode();
};

/**
 * Seals all secrets under the current key. You can run it again at any time.
 * @returns How many secrets were sealed.
 * @throws Error when one does not open; those before it are sealed by then.
 */
export const resealSecondFactors = async ({
  storage,
  secretBox,
}: Pick<Ports, "storage" | "secretBox">): Promise<number> => {
  let sealed = 0;
  const reseal = async (id: string): Promise<void> => {
    const row = await storage.resources.find(secondFactor, id, system, ["sealed_secret", "revision"]);
    if (row === undefined) return;
    const secret = await secretBox.open(String(row.sealed_secret), contextOf(id));
    const changes = { sealed_secret: await secretBox.seal(secret, contextOf(id)) };
    const options = { expectedRevision: Number(row.revision) };
    // Another sign-in used the factor at the same moment, so it is read again.
    if ((await storage.resources.update(secondFactor, { id, scope: system }, changes, options)) === "stale")
      await reseal(id);
  };
  for (let after: readonly string[] | undefined; ; ) {
    const rows = await storage.resources.list(secondFactor, {
      scope: system,
      order: [{ field: "id", direction: "asc" }],
      limit: 100,
      fields: ["id"],
      ...(after === undefined ? {} : { after }),
    });
    for (const { id } of rows) await reseal(String(id));
    sealed += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < 100) return sealed;
    after = [String(last.id)];
  }
};
