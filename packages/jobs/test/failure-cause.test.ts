import { causeFacts, causeId } from "@postern/core/internal";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeThrown, stackOf } from "../src/thrown-value.ts";

const messageOf = (message: string): string => causeFacts("mail", `Error: ${message}`).message;

/** What is stored of a failure. */
const stored = (thrown: unknown): string => {
  const stack = stackOf(thrown);
  return stack === undefined ? describeThrown(thrown) : `${describeThrown(thrown)}\n${stack}`;
};

describe("the message of a cause", () => {
  test.each([
    ["the mail server answered 451", "the mail server answered #"],
    ["-5.25 % of 1,204 rows, 1e-9 left", "# % of # rows, # left"],
    ["customer cus_9s6XKzkNRiz8i3 has no mail", "customer # has no mail"],
    ["customer cus_NffrFeUfNVHib has no mail", "customer # has no mail"],
    ["user 019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a is gone", "user # is gone"],
    ["commit 9f2c41e1b0d0 is gone", "commit # is gone"],
    ["late since 2026-11-21T08:30:00.120Z", "late since #"],
    ["connect ECONNREFUSED 127.0.0.1:5432", "connect ECONNREFUSED #"],
    ["connect ECONNREFUSED ::1:5432", "connect ECONNREFUSED ::#"],
    ["getaddrinfo ENOTFOUND api.example.com", "getaddrinfo ENOTFOUND api.example.com"],
    ["GET https://api.example.com/users/7?key=k failed", "GET # failed"],
    ["no mailbox for Ada.L+x@example.com", "no mailbox for #"],
    ['user "Zoë Quinn" is unknown', 'user "#" is unknown'],
    ["ENOENT: no such file or directory, open '/data/in.csv'", "ENOENT: no such file or directory, open '#'"],
    [
      "Cannot read properties of undefined (reading 'customer_id')",
      "Cannot read properties of undefined (reading 'customer_id')",
    ],
    ["can't read the user's mail, don't ask", "can't read the user's mail, don't ask"],
    ["two\n  lines", "two lines"],
    ["", ""],
  ])("of %j is %j", (message, expected) => {
    expect(messageOf(message)).toBe(expected);
  });

  test("is bounded, and does not end in a piece of an id", () => {
    expect(messageOf("word ".repeat(1_000))).toHaveLength(300);
    const long = "w".repeat(400);
    expect(messageOf(`${long} ${long} abcdef0123456789 ${"x".repeat(190)}abc1`)).toBe(
      messageOf(`${long} ${long} fedcba9876543210 ${"x".repeat(190)}def2`),
    );
    expect(messageOf("a".repeat(4_096))).toBe("");
  });
});

describe("the parts of a cause", () => {
  const failure = (...frames: readonly string[]): string =>
    ["TypeError: no", ...frames.map((frame) => `    at ${frame}`)].join("\n");

  test("are the handler, the error, the message, and two frames of the application's own code", () => {
    const frames = [
      "node:internal/deps/undici/undici:13510:13",
      "process.processTicksAndRejections (node:internal/process/task_queues:105:5)",
      "Promise.all (index 0)",
      "new Promise (<anonymous>)",
      "request (file:///srv/app/node_modules/client/index.js:1:2)",
      "async Bank.charge [as pay] (file:///srv/app/src/pay.ts?v=2:31:11)",
      "file:///srv/app/src/handlers.ts:7:3",
      "async main (file:///srv/app/src/main.ts:7:3)",
    ];
    expect(causeFacts("pay", failure(...frames))).toEqual({
      handler: "pay",
      error: "TypeError",
      message: "no",
      frames: ["Bank.charge (pay.ts)", "handlers.ts"],
    });
    const onWindows = failure(
      "charge (C:\\app\\src\\pay.ts:31:11)",
      "Object.<anonymous> (C:\\app\\chunk-5HJKL2QX.js:1:2)",
    );
    expect(causeFacts("pay", onWindows).frames).toEqual(["charge (pay.ts)", "chunk.js"]);
  });

  test("take nothing for the name of an error that could be a value", () => {
    expect(causeFacts("pay", "Zoë: not found")).toMatchObject({ error: undefined, message: "Zoë: not found" });
    expect(causeFacts("pay", "secret: not found")).toMatchObject({ error: undefined, message: "secret: not found" });
    expect(causeFacts("pay", "Permanent: no")).toMatchObject({ error: "Permanent", message: "no" });
  });

  test("come from a real stack without the frames of Postern", () => {
    const charge = (): never => {
      throw new RangeError("invoice in_7Qz is too old");
    };
    try {
      charge();
    } catch (thrown) {
      const { frames, ...rest } = causeFacts("pay", stored(thrown));
      expect(rest).toEqual({ handler: "pay", error: "RangeError", message: "invoice # is too old" });
      expect(frames[0]).toBe("charge (failure-cause.test.ts)");
    }
  });
});

const hex = (length: number) =>
  fc.array(fc.constantFrom(..."0123456789abcdef"), { minLength: length, maxLength: length }).map((all) => all.join(""));

/** What differs from one failure to the next. */
const value = fc.oneof(
  fc.uuid(),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.integer({ min: 0 }).map((n) => n.toLocaleString("en")),
  hex(24).map((text) => `${text}0`),
  fc.tuple(fc.constantFrom("cus", "evt", "in"), hex(14)).map(([prefix, rest]) => `${prefix}_1${rest}`),
  fc.ipV4(),
  fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString()),
  fc.tuple(hex(6), hex(6)).map(([name, host]) => `${name}@${host}.example`),
  hex(6).map((path) => `https://example.com/${path}`),
);

describe("the id of a cause", () => {
  const id = (message: string, { handler = "mail", error = "Error", at = "send (mail.ts:1:2)" } = {}): string =>
    causeId(handler, `${error}: ${message}\n    at ${at}`);

  test("is 12 letters and digits, whatever was thrown", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), fc.string({ maxLength: 300 }), (handler, failure) => {
        expect(causeId(handler, failure)).toMatch(/^[A-Za-z0-9]{12}$/);
      }),
    );
  });

  test("is the same whatever numbers, ids, addresses and times the message has", () => {
    fc.assert(
      fc.property(value, value, value, value, (one, two, three, four) => {
        expect(id(`no invoice ${one} of customer "${two}"`)).toBe(id(`no invoice ${three} of customer "${four}"`));
      }),
      { numRuns: 500 },
    );
  });

  test("is the same wherever in the file the code is", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (line, column) => {
        expect(id("no", { at: `send (/one/mail.ts:${line}:${column})` })).toBe(
          id("no", { at: "send (/two/mail.ts:1:2)" }),
        );
      }),
    );
  });

  test("is another one for another handler, error, message or place", () => {
    const ids = [
      id("no"),
      id("no", { handler: "pay" }),
      id("no", { error: "TypeError" }),
      id("yes"),
      id("no", { at: "send (pay.ts:1:2)" }),
      id("no", { at: "receive (mail.ts:1:2)" }),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    const word = fc.stringMatching(/^[a-z]{1,12}$/);
    fc.assert(
      fc.property(fc.uniqueArray(word, { minLength: 2, maxLength: 2 }), ([one = "", two = ""]) => {
        expect(id(one)).not.toBe(id(two));
        expect(id("no", { handler: one })).not.toBe(id("no", { handler: two }));
      }),
    );
  });
});

test("a hostile message of the greatest length costs no more than a few milliseconds", () => {
  const pieces = ["a", ".", "'", '"a', "a.", "@", "a@", "-1", "http://", "\n    at ", "    at (", "é"];
  // The shorter ones are read as a whole.
  const texts = pieces.flatMap((piece) =>
    [990, 12_288].map((length) => piece.repeat(Math.floor(length / piece.length))),
  );
  for (const text of texts) causeId("mail", `Error: ${text}`);
  const began = performance.now();
  for (const text of texts) causeId("mail", `Error: ${text}`);
  // Ten times what it takes, because other tests run beside this one.
  expect((performance.now() - began) / texts.length).toBeLessThan(100);
});
