import { memoryCommonPasswords } from "@postern/core/memory";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { estimateGuesses } from "../src/sign-in/guesses.ts";
import { passwordText, refuseGuessable } from "../src/sign-in/password.ts";
import { testApi } from "./api.ts";

const common = memoryCommonPasswords(["password", "password1", "summer", "dragon"]);
const own = ["Ada Lovelace", "ada.lovelace@analytical.example"];

/** The code with which a password is refused; `undefined` for a good one. */
const refused = (password: string): string | undefined => {
  try {
    refuseGuessable(password, { common, member: "password", own });
    return undefined;
  } catch (thrown) {
    return (thrown as { faults: { code: string }[] }).faults[0]?.code;
  }
};

describe("a new password", () => {
  test.each([
    ["password1", "too_common"],
    ["PASSWORD", "too_common"],
    ["aaaaaaaa", "repeats"],
    ["        ", "repeats"],
    ["abababababab", "repeats"],
    ["xyzxyzxyzxyz", "repeats"],
    ["ada.lovelace@analytical.example", "own_words"],
    ["ADA.LOVELACE@ANALYTICAL.EXAMPLE", "own_words"],
    ["adalovelace", "own_words"],
    ["Lovelace1", "own_words"],
    ["analytical!", "own_words"],
    ["Ada2026!", "own_words"],
    ["Summer2026!", "common_words"],
    ["P@ssw0rd2026", "common_words"],
    ["Dragon1999", "common_words"],
    ["ghijklmnop", "sequence"],
    ["poiuytrewq", "sequence"],
    ["31.12.1999", "dates"],
    ["19991231", "dates"],
  ])("cannot be %j: %s", (password, code) => {
    expect(refused(password)).toBe(code);
  });

  test.each([
    "correct horse battery",
    "another horse battery",
    "zk7#Qv!m2",
    "a heron stands in cold water",
    "Kw7-xP4q",
    "Tr0ub4dour & three cats",
    "пароль из нескольких слов",
    "🦔🍋🚲🎻🪁🧭🪴🛶",
  ])("can be %j", (password) => {
    expect(refused(password)).toBeUndefined();
  });

  test("is judged quickly, however it is made", () => {
    const longest = fc.string({ unit: fc.constantFrom("a", "b", "1", "9", "q", "w", "-", "ß"), maxLength: 128 });
    fc.assert(
      fc.property(longest, (password) => {
        const before = performance.now();
        const { magnitude } = estimateGuesses(password, new Set(["ada"]), common);
        expect(magnitude).toBeGreaterThanOrEqual(0);
        expect(magnitude).toBeLessThanOrEqual(password.length + 1e-9);
        // 50 ms on a machine of its own; tests share one.
        expect(performance.now() - before).toBeLessThan(500);
      }),
      { numRuns: 100 },
    );
  });

  test("counts as characters, not as the units of UTF-16", () => {
    const fits = (value: string): boolean => passwordText.safeParse(value).success;
    expect(["🦔".repeat(7), "🦔".repeat(8), "🦔".repeat(128), "🦔".repeat(129)].map(fits)).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  test("is not taken to pieces when it is far too long", () => {
    const pieces = vi.spyOn(String.prototype, Symbol.iterator);
    const found = passwordText.safeParse(`\0${"a\u0301".repeat(300_000)}`);
    const { length } = pieces.mock.calls;
    pieces.mockRestore();
    expect([length, found.error?.issues.map(({ message }) => message)]).toEqual([0, ["at most 128 characters"]]);
  });

  test("is refused over the API with the reason, at sign-up and when it is changed", async () => {
    const { call, user } = testApi();
    const body = { name: "Grace Hopper", email: "grace@navy.example", password: "gracehopper" };
    const signUp = await call("POST", "/users", { body });
    expect([signUp.status, signUp.body.code]).toEqual([400, "validation_failed"]);
    expect(signUp.body.errors).toEqual([
      { pointer: "/password", code: "own_words", detail: expect.stringContaining("your own name or address") },
    ]);
    const { id, token } = await user("ada");
    const change = await call("PUT", `/users/${id}/password`, {
      token,
      body: { current_password: "correct horse battery", new_password: "zzzzzzzzzzzz" },
    });
    expect(change.body.errors[0]).toMatchObject({ pointer: "/new_password", code: "repeats" });
  });
});
