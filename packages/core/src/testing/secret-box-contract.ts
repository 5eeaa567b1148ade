import assert from "node:assert/strict";
import type { SecretBox } from "../ports/secret-box.ts";
import { alterationsOf } from "./altered-text.ts";
import type { Contract } from "./contract.ts";

export interface SecretBoxSubject {
  readonly box: SecretBox;
  /** A box with another key. */
  readonly foreign: SecretBox;
}

const secret = "whsec_7d1f\u00e4\ud83d\ude00";

export const secretBoxContract: Contract<SecretBoxSubject> = {
  "opens what it sealed": async ({ box }) => {
    for (const text of ["", "a", secret, "s".repeat(10_000)]) {
      assert.equal(await box.open(await box.seal(text, "endpoint 7"), "endpoint 7"), text);
    }
  },
  "hides the secret": async ({ box }) => {
    const sealed = await box.seal("whsec_plain_to_see", "endpoint 7");
    assert.ok(!sealed.includes("plain"));
    assert.match(sealed, /^[!-~]+$/);
  },
  "opens nothing that was altered": async ({ box }) => {
    const sealed = await box.seal(secret, "endpoint 7");
    for (const altered of alterationsOf(sealed)) await assert.rejects(box.open(altered, "endpoint 7"), Error);
    for (const garbage of ["", ".", "....", secret]) await assert.rejects(box.open(garbage, "endpoint 7"), Error);
  },
  "opens nothing in another context": async ({ box }) => {
    const sealed = await box.seal(secret, "endpoint 7");
    for (const context of ["", "endpoint 8", "endpoint 7 "]) await assert.rejects(box.open(sealed, context), Error);
  },
  "opens nothing sealed under another key": async ({ box, foreign }) => {
    const sealed = await foreign.seal(secret, "endpoint 7");
    await assert.rejects(box.open(sealed, "endpoint 7"), Error);
  },
  "says nothing of the secret when it fails": async ({ box }) => {
    const sealed = await box.seal(secret, "endpoint 7");
    await assert.rejects(box.open(sealed, "endpoint 8"), (error: Error) => !error.message.includes(secret));
  },
  "digests the same secret to the same text, and others to others": async ({ box }) => {
    const digests = await Promise.all(["", "a", "b", "ab", secret].map((text) => box.digest(text)));
    assert.equal(new Set(digests).size, digests.length);
    for (const digest of digests) assert.match(digest, /^[\w-]{43,}$/);
    assert.equal(await box.digest(secret), digests.at(-1));
  },
};
