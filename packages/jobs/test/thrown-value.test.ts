import { causeId, isStorable } from "@postern/core/internal";
import type { LogFields } from "@postern/core/ports";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeThrown, stackOf } from "../src/thrown-value.ts";

const withStack = (stack: unknown): Error => Object.assign(new Error("boom"), { stack });
const line = (n: number): string => `    at step${n} (file:///app/jobs.ts:${n}:1)`;

describe("the stack of a thrown error", () => {
  test("is its first 20 lines, without the message", () => {
    const lines = Array.from({ length: 30 }, (_, n) => line(n));
    expect(stackOf(withStack(["Error: boom", "of two lines", ...lines].join("\n")))).toBe(
      lines.slice(0, 20).join("\n"),
    );
  });

  test("has lines of at most 300 characters, and none of a message without end", () => {
    expect(stackOf(withStack(`Error: boom\n    at ${"x".repeat(9_000)}`))).toHaveLength(300);
    expect(stackOf(withStack(`Error: ${"x".repeat(1_000_000)}\n${line(1)}`))).toBeUndefined();
  });

  test.each([
    ["no error", "boom"],
    ["an error without a stack", withStack(undefined)],
    ["an error whose stack is no text", withStack(7)],
    [
      "an error that cannot be read",
      Object.defineProperty(new Error("boom"), "stack", {
        get: () => {
          throw new Error("no");
        },
      }),
    ],
  ])("is absent for %s", (_what, thrown) => {
    expect(stackOf(thrown)).toBeUndefined();
  });
});

const redacted = ({ message, fields }: { message: string; fields: LogFields }) => ({
  message,
  fields: Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, /password|token/.test(name) ? "[redacted]" : value]),
  ),
});

describe("the description of a thrown value", () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" });

  test.each<readonly [string, unknown, string]>([
    [
      "a fetch that was refused",
      new TypeError("fetch failed", { cause: refused }),
      "TypeError: fetch failed; caused by Error: connect ECONNREFUSED 127.0.0.1:1",
    ],
    [
      "a fetch that was refused at each address",
      new TypeError("fetch failed", {
        cause: Object.assign(new AggregateError([refused, new Error("no route")]), { code: "ECONNREFUSED" }),
      }),
      "TypeError: fetch failed; caused by AggregateError:  [code ECONNREFUSED]; with Error: connect ECONNREFUSED 127.0.0.1:1; with Error: no route",
    ],
    [
      "an error of a driver",
      Object.assign(new Error("duplicate key"), { code: "23505" }),
      "Error: duplicate key [code 23505]",
    ],
    ["a code that is no word", Object.assign(new Error("no"), { code: "a b" }), "Error: no"],
    ["an object", { status: 503, error: { code: "busy" } }, '{"status":503,"error":{"code":"busy"}}'],
    ["a list", [{ n: 1n }, Symbol("x"), undefined], '[{"n":"1n"},null,null]'],
    [
      "an object with secrets",
      { password: "hunter2", user: { token: { value: "abc" } } },
      '{"password":"[redacted]","user":{"token":"[redacted]"}}',
    ],
    ["an object that says what it is", { toString: () => "quota exceeded" }, "quota exceeded"],
    ["a text", "boom", "boom"],
    ["nothing", undefined, "undefined"],
    ["a cause that is an object", new Error("no", { cause: { status: 401 } }), 'Error: no; caused by {"status":401}'],
    ["bytes", { body: new Uint8Array(9) }, '{"body":"[9 bytes]"}'],
  ])("is readable for %s", (_what, thrown, expected) => {
    expect(describeThrown(thrown, redacted)).toBe(expected);
  });

  test("has at most three causes and five members, and ends at a cycle", () => {
    const chain = (depth: number): Error => new Error(`e${depth}`, depth === 0 ? {} : { cause: chain(depth - 1) });
    expect(describeThrown(chain(9))).toBe("Error: e9; caused by Error: e8; caused by Error: e7; caused by Error: e6");
    const many = new AggregateError(
      Array.from({ length: 9 }, (_, n) => new Error(`m${n}`)),
      "all",
    );
    expect(describeThrown(many)).toBe(
      `AggregateError: all${[0, 1, 2, 3, 4].map((n) => `; with Error: m${n}`).join("")}`,
    );
    const loop = new Error("loop");
    loop.cause = loop;
    expect(describeThrown(loop)).toBe("Error: loop");
  });

  test("names only the members of an object if it cannot take secrets out", () => {
    expect(describeThrown({ status: 503, password: "hunter2" })).toBe("an object with status, password");
  });

  test("groups failures by the code, however long the message, and not by values", () => {
    const cause = (code: string, at = 1) =>
      new Error(`no ${"x".repeat(400)} ${at}`, { cause: Object.assign(new Error("driver"), { code }) });
    const idOf = (thrown: unknown) => causeId("mail", describeThrown(thrown));
    expect(idOf(cause("23505", 1))).toBe(idOf(cause("23505", 2)));
    expect(idOf(cause("23505"))).not.toBe(idOf(cause("40001")));
    const plain = (code: string) => Object.assign(new Error("no"), { code });
    expect(idOf(plain("23505"))).not.toBe(idOf(plain("40001")));
  });

  test("can be stored, is bounded, and has no secret, whatever is thrown", () => {
    const secret = "s3cr3t-value";
    const long = Array.from({ length: 1_000_000 }, (_, n) => n);
    const bytes = new Uint8Array(5_000_000);
    const hostile = fc.constantFrom<() => unknown>(
      () =>
        new Proxy(
          {},
          {
            get: () => {
              throw new Error("get");
            },
            ownKeys: () => {
              throw new Error("keys");
            },
          },
        ),
      () =>
        new Proxy(new Error("x"), {
          getPrototypeOf: () => {
            throw new Error("prototype");
          },
        }),
      () =>
        Object.defineProperty({}, "a", {
          enumerable: true,
          get: () => {
            throw new Error("getter");
          },
        }),
      () =>
        Object.defineProperty(new Error("x"), "cause", {
          get: () => {
            throw new Error("getter");
          },
        }),
      () => Object.assign(new Error("x"), { message: 7, name: Symbol("name"), errors: 4, code: {} }),
      () => Object.create(null),
      () => Symbol("thrown"),
      () => 12n ** 900n,
      () => "\ud800\0".repeat(9_000),
      () => long,
      () => bytes,
      () => {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        return proxy;
      },
    );
    // Each is made in the test: what generates them may read them as well.
    const makers = fc.letrec<{ value: () => unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        fc.anything().map((value) => () => value),
        hostile,
        fc.tuple(fc.string(), tie("value")).map(([name, make]) => () => ({
          [name]: make(),
          password: secret,
          token: { deep: secret },
        })),
        fc.tuple(fc.string(), tie("value")).map(
          ([message, make]) =>
            () =>
              new Error(message, { cause: make() }),
        ),
        fc.tuple(fc.string(), fc.array(tie("value"))).map(
          ([message, makes]) =>
            () =>
              new AggregateError(
                makes.map((make) => make()),
                message,
              ),
        ),
        tie("value").map((make) => () => {
          const one: Record<string, unknown> = { value: make() };
          one.self = one;
          return one;
        }),
      ),
    })).value;
    fc.assert(
      fc.property(makers, (make) => {
        const thrown = make();
        for (const text of [describeThrown(thrown, redacted), describeThrown(thrown)]) {
          expect(text.length).toBeLessThanOrEqual(4_096);
          expect(text).not.toBe("");
          expect(isStorable(text)).toBe(true);
          expect(text).not.toContain(secret);
        }
      }),
      { numRuns: 200 },
    );
  });
});
