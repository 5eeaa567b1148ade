import assert from "node:assert/strict";

/** What a value should look like: see `assertMatches`. */
export type Pattern = unknown;

/**
 * Asserts that a value fits a pattern. A regular expression fits a text in which it matches,
 * `String` and `Number` fit any text or number, an object fits one that has at least these members,
 * and an array fits one of the same length whose elements fit. Anything else must be equal.
 */
export const assertMatches = (actual: unknown, pattern: Pattern, at = "the value"): void => {
  if (pattern instanceof RegExp) {
    assert.equal(typeof actual, "string", `${at}: ${String(actual)} is not a text`);
    assert.match(String(actual), pattern, at);
  } else if (pattern === String || pattern === Number) {
    assert.equal(typeof actual, pattern === String ? "string" : "number", at);
  } else if (Array.isArray(pattern)) {
    assert.ok(Array.isArray(actual), `${at} is not an array`);
    assert.equal(actual.length, pattern.length, `${at} has ${actual.length} elements: ${JSON.stringify(actual)}`);
    pattern.forEach((one, index) => {
      assertMatches(actual[index], one, `${at}[${index}]`);
    });
  } else if (typeof pattern === "object" && pattern !== null) {
    assert.ok(typeof actual === "object" && actual !== null, `${at} is not an object`);
    for (const [name, one] of Object.entries(pattern)) {
      assertMatches((actual as Record<string, unknown>)[name], one, `${at}.${name}`);
    }
  } else {
    assert.equal(actual, pattern, at);
  }
};

/** Asserts that a text has a part, or that a list has an element. */
export const assertContains = (whole: string | readonly unknown[] | null | undefined, part: unknown): void => {
  const found = typeof whole === "string" ? whole.includes(String(part)) : whole?.includes(part) === true;
  assert.ok(found, `${JSON.stringify(part)} is not in ${JSON.stringify(whole)}`);
};

/** Waits up to 10 s until something has a value. */
export const reaches = async <Value>(read: () => Value, expected: Value): Promise<void> => {
  const deadlineMs = performance.now() + 10_000;
  while (read() !== expected && performance.now() < deadlineMs) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(read(), expected);
};
