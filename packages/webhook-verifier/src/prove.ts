import { textOf } from "#platform";
import { refuse } from "./errors.ts";
import type { FindKeys, ReadyKey } from "./keys/keyring.ts";
import type { Piece } from "./platform/contract.ts";
import { after, isPromise, type MaybePromise } from "./runtime.ts";
import type { Assertion, Scheme } from "./scheme.ts";

/**
 * The index of the first of `keys` that made one of the signatures over `content`; -1 if none did.
 * It does not wait if the platform can compute it at once, because a promise costs as much as the
 * hash itself.
 */
const firstToHold = (
  keys: readonly ReadyKey[],
  signatures: Assertion["signatures"],
  content: Assertion["signed"],
  from = 0,
): MaybePromise<number> => {
  for (let at = from; at < keys.length; at++) {
    const held = keys[at]?.taken.holds(signatures, content);
    if (isPromise(held)) return held.then((right) => (right ? at : firstToHold(keys, signatures, content, at + 1)));
    if (held) return at;
  }
  return -1;
};

/**
 * Whether a body begins as one long word of base64. AWS Lambda passes bodies on in this form. Only
 * the beginning is looked at: to read a forged body of 5 MB takes longer than to check its
 * signature.
 */
const isBase64 = (piece: Piece): boolean =>
  typeof piece !== "string" && /^[\w+/]{20,}=*$/.test(textOf(piece.subarray(0, 999)) ?? "");

const mismatch = (scheme: Scheme, signed: Assertion["signed"]): never =>
  refuse(
    "signature_mismatch",
    `No signature is right: ${
      signed.some(isBase64)
        ? "the body is base64: decode it first"
        : `another endpoint's key, or a body that was parsed${
            scheme.covered.includes("url") ? ", or a URL changed by a proxy (set `url`)" : ""
          }`
    }.`,
  );

/**
 * Makes the function that proves one claim: a key made its signature, and its time is within the
 * window.
 * @returns a function that returns the claim, completed by what `confirm` has read and by the id of
 *   the key. It throws `WebhookVerificationError` for a claim that is not valid.
 */
export const proverOf = (
  scheme: Scheme,
  findKeys: FindKeys,
  toleranceSeconds: number,
): ((claim: Assertion, at: number) => MaybePromise<Assertion>) => {
  const inTime = (claim: Assertion, key: ReadyKey | undefined, at: number): Assertion => {
    const ageSeconds = (at - (claim.timestamp ?? at)) / 1000;
    const old = ageSeconds > 0;
    if (Math.abs(ageSeconds) > toleranceSeconds)
      refuse(
        `timestamp_too_${old ? "old" : "new"}`,
        `Signed ${Math.abs(Math.round(ageSeconds))} s ${old ? "ago" : "ahead"}; the window is ${toleranceSeconds} s. Check the clock.`,
      );
    return key?.id === undefined ? claim : { ...claim, keyId: key.id };
  };

  const confirmed = (claim: Assertion, key: ReadyKey | undefined, at: number): MaybePromise<Assertion> =>
    after(claim.confirm?.(), (more) => inTime(more === undefined ? claim : { ...claim, ...more }, key, at));

  /** Tries the other spellings of the content. */
  const respelt = async (keys: readonly ReadyKey[], claim: Assertion, at: number): Promise<Assertion> => {
    for (const signed of claim.alternatives?.() ?? []) {
      const found = await firstToHold(keys, claim.signatures, signed);
      if (found >= 0) return confirmed({ ...claim, signed }, keys[found], at);
    }
    return mismatch(scheme, claim.signed);
  };

  return (claim, at) =>
    after(findKeys(claim.keyId, at), (keys) =>
      after(firstToHold(keys, claim.signatures, claim.signed), (found) =>
        found < 0
          ? respelt(keys, claim, at)
          : claim.confirm
            ? confirmed(claim, keys[found], at)
            : inTime(claim, keys[found], at),
      ),
    );
};
