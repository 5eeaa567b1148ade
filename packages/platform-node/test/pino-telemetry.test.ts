import { EventEmitter } from "node:events";
import { describe, expect, test } from "vitest";
import { pinoTelemetry } from "../src/index.ts";
import { collectedLog } from "./collected-log.ts";

const logged = (format: "json" | "pretty") => {
  const stream = collectedLog();
  const time = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
  return { stream, telemetry: pinoTelemetry({ level: "info", format, stream, now: () => time }) };
};

const marker = "PLANTED0123456789";
const planted: readonly (readonly [string, string])[] = [
  ["a header", `authorization: Bearer ${marker}`],
  ["basic credentials", `Basic ${marker}==`],
  ["a URL", `mysql://root:${marker}@127.0.0.1/postern`],
  ["a JWT", `eyJhbGciOiJFUzI1NiJ9.${marker}.${marker}`],
  ["a webhook secret", `the secret whsec_${marker} is wrong`],
  ["a refresh token", `prt_${marker}`],
  ["an API key", `ak_${marker}`],
  ["a Stripe key", `sk_live_${marker}`],
  ["a private key", `-----BEGIN PRIVATE KEY-----\n${marker}\n-----END PRIVATE KEY-----`],
];

describe.each(["json", "pretty"] as const)("pinoTelemetry as %s", (format) => {
  test.each(planted)("shows nothing of %s, wherever it stands", (_name, text) => {
    const { stream, telemetry } = logged(format);
    telemetry.log("info", text, { note: text });
    telemetry.log("error", "failed", {}, new Error(text, { cause: new TypeError(text) }));
    telemetry.log("error", "failed", {}, text);
    telemetry.log("error", "failed", {}, Object.assign(new Error("x"), { code: text }));
    expect(stream.text()).not.toContain(marker);
    expect(stream.text()).toContain("[redacted]");
  });

  test.each([
    "password",
    "new_password",
    "accessToken",
    "refresh_token",
    "authorization",
    "set-cookie",
    "client_secret",
    "apiKey",
    "api_key",
  ])("shows nothing of a field named %s", (name) => {
    const { stream, telemetry } = logged(format);
    telemetry.log("info", "m", { [name]: marker });
    expect(stream.text()).not.toContain(marker);
  });

  test("shows an object as JSON, without the members that are named like credentials", () => {
    const { stream, telemetry } = logged(format);
    const order = {
      id: 7,
      lines: [{ sku: "a", price: 20n }],
      customer: { api_key: marker, note: `sk_live_${marker}` },
    };
    // A program in JavaScript can pass what the types do not allow.
    telemetry.log("error", "m", { order } as never);
    expect(stream.text()).toContain("sku");
    expect(stream.text()).not.toContain("[object Object]");
    expect(stream.text()).not.toContain(marker);
    const loop: Record<string, unknown> = Object.create(null);
    loop.self = loop;
    const failing = Object.defineProperty({}, "x", { enumerable: true, get: () => JSON.parse("{") });
    telemetry.log("error", "odd", { loop, failing, error: new TypeError("broken") } as never);
    expect(stream.text()).toContain("TypeError: broken");
    expect(
      stream
        .text()
        .split("\n")
        .filter((line) => line.includes("odd")),
    ).toHaveLength(1);
  });

  test("shows no other member of an error than type, message, code, frames and cause", () => {
    const { stream, telemetry } = logged(format);
    const error = Object.assign(new Error("driver"), {
      sql: marker,
      bindings: [marker],
      request: { headers: { a: marker } },
    });
    telemetry.log("error", "failed", {}, error);
    telemetry.log("error", "failed", {}, new AggregateError([new Error(marker)], "several"));
    expect(stream.text()).not.toContain(marker);
    expect(stream.text()).toContain("driver");
    expect(stream.text()).toContain("pino-telemetry.test.ts");
  });

  test("writes one line for each entry, whatever it holds, and no control character", async () => {
    const { stream, telemetry } = logged(format);
    const hostile = 'a\r\nb\u001b[31mc\u0000d\u009be\u2028f\u202eg"h\u007f';
    telemetry.log("info", hostile, { field: hostile, [hostile]: 1 });
    // Lines of one turn of the event loop are written together, at its end.
    await new Promise((resolve) => setImmediate(resolve));
    expect(stream.text().endsWith("\n")).toBe(true);
    expect(stream.text().slice(0, -1)).not.toMatch(/[\p{Cc}\u2028\u202e]/u);
  });

  test("cuts what is long", () => {
    const { stream, telemetry } = logged(format);
    telemetry.log("info", "m".repeat(1_000_000), { field: "f".repeat(1_000_000) });
    expect(stream.text().length).toBeLessThan(5_000);
  });

  test("leaves out what is below its level", () => {
    const { stream, telemetry } = logged(format);
    telemetry.log("debug", "hidden");
    expect(stream.text()).toBe("");
  });
});

describe("JSON lines", () => {
  test("hold level, time, fields, error and message", () => {
    const { stream, telemetry } = logged("json");
    telemetry.log(
      "warn",
      "it failed",
      { job_id: 7, done: false, level: "taken", none: null, absent: undefined },
      new TypeError("no"),
    );
    const line: unknown = JSON.parse(stream.text());
    expect(line).toMatchObject({
      level: "warn",
      job_id: 7,
      done: false,
      level_: "taken",
      none: null,
      msg: "it failed",
      err: { type: "TypeError", message: "no" },
    });
    expect(line).toHaveProperty("time", expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/));
    expect(line).not.toHaveProperty("pid");
    expect(line).not.toHaveProperty("absent");
  });
});

describe("pretty lines", () => {
  test("are short and without colour where there is no terminal", () => {
    const { stream, telemetry } = logged("pretty");
    telemetry.log("info", "Listening", { port: 3000, path: "a b", empty: "" });
    expect(stream.text()).toMatch(/^\d\d:04:05\.678 info {2}Listening port=3000 path="a b" empty=""\n$/);
  });

  test("are coloured at a terminal, unless `color` is false", () => {
    const terminal = { ...collectedLog(), isTTY: true };
    pinoTelemetry({ level: "info", format: "pretty", stream: terminal }).log("warn", "m");
    expect(terminal.text()).toContain("\u001b[33mwarn \u001b[0m");
    const plain = { ...collectedLog(), isTTY: true };
    pinoTelemetry({ level: "info", format: "pretty", stream: plain, color: false }).log("warn", "m");
    expect(plain.text()).not.toContain("\u001b");
  });

  test("show an error and its causes below", () => {
    const { stream, telemetry } = logged("pretty");
    telemetry.log(
      "error",
      "failed",
      {},
      Object.assign(new Error("outer", { cause: new Error("inner") }), { code: "E_X" }),
    );
    expect(stream.text()).toMatch(/failed\n {2}Error \[E_X\]: outer\n {4}at /);
    expect(stream.text()).toMatch(/\n {2}caused by Error: inner\n/);
  });
});

test("the log survives a closed pipe, and puts one listener on a stream however many loggers write to it", () => {
  const stream = Object.assign(new EventEmitter(), { write: () => true });
  for (let made = 0; made < 20; made += 1) pinoTelemetry({ level: "info", format: "json", stream });
  expect(stream.listenerCount("error")).toBe(1);
  expect(() => stream.emit("error", new Error("EPIPE"))).not.toThrow();
});

describe("a line of JSON", () => {
  const lineOf = (message: string, fields: Readonly<Record<string, unknown>>): string => {
    const { stream, telemetry } = logged("json");
    telemetry.log("warn", message, fields as Readonly<Record<string, string>>);
    return stream.text().replace(/"time":"[^"]+"/, '"time":"then"');
  };

  test("has its members in their order, between the time and the message", () => {
    expect(lineOf("100 %s of %d", { b: 'a "quote"\n', a: 1.5, none: undefined, level: "x", no: false })).toBe(
      `{"level":"warn","time":"then","b":"a \\"quote\\"\\\\n","a":1.5,"level_":"x","no":false,"msg":"100 %s of %d"}\n`,
    );
    expect(lineOf("nothing else", {})).toBe('{"level":"warn","time":"then","msg":"nothing else"}\n');
  });

  test("tells apart values that come again, and sees what changed within an object", () => {
    const { stream, telemetry } = logged("json");
    const tags = ["a"];
    const long = "x".repeat(3_000);
    const given = [7, 7, "7", "7", 7.5, Number.NaN, Number.NaN, true, null, null, 7, long, long];
    for (const value of given) telemetry.log("warn", "m", { value, level: value, password: "p" });
    telemetry.log("warn", "m", { value: tags } as never);
    tags.push("b");
    telemetry.log("warn", "m", { value: tags } as never);
    const lines = stream
      .text()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const cut = `${"x".repeat(2_048)}…`;
    const shown = [7, 7, "7", "7", 7.5, "NaN", "NaN", true, null, null, 7, cut, cut];
    expect(lines.map(({ value }) => value)).toEqual([...shown, '["a"]', '["a","b"]']);
    expect(lines.slice(0, -2).map(({ level, level_, password }) => [level, level_, password])).toEqual(
      shown.map((value) => ["warn", value, "[redacted]"]),
    );
  });

  test("says a line without secrets, as it would write it, for other places", () => {
    const { stream, telemetry } = logged("json");
    const fields = {
      invoice: "in_1",
      cents: 5,
      password: "hush",
      url: "https://ada:hush@example.com",
      none: undefined,
    };
    expect(telemetry.withoutSecrets?.({ message: "sent with Bearer abcdefgh12345678", fields })).toEqual({
      message: "sent with [redacted]",
      fields: { invoice: "in_1", cents: 5, password: "[redacted]", url: "https://[redacted]@example.com" },
    });
    expect(stream.text()).toBe("");
  });

  test("has nothing of the line before it, and nothing that its fields inherit", () => {
    const { stream, telemetry } = logged("json");
    telemetry.log("info", "first", { first: 1 });
    telemetry.log("warn", "second", Object.create({ inherited: 1 }));
    expect(stream.text().split("\n")[1]).not.toMatch(/first|inherited/);
  });
});
