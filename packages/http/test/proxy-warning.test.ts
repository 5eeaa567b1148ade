import { memoryTelemetry } from "@postern/core/memory";
import { expect, test } from "vitest";
import { proxyWarning } from "../src/head/request-head.ts";

const scene = (trustProxy = 0) => {
  const telemetry = memoryTelemetry();
  return { telemetry, note: proxyWarning({ telemetry, trustProxy }) };
};

test.each(["x-forwarded-for", "forwarded", "via", "x-real-ip"])(
  "a request of a private address with %s gives one warning that says what to set",
  (name) => {
    const { telemetry, note } = scene();
    for (let times = 0; times < 3; times += 1) note({ headers: { [name]: "1.1 proxy" } }, "10.0.0.7");
    expect(telemetry.entries).toMatchObject([
      { level: "warn", fields: { address: "10.0.0.7", hint: expect.stringContaining("POSTERN_TRUST_PROXY") } },
    ]);
  },
);

test("a proxy that adds no header gives the warning by its many requests", () => {
  const { telemetry, note } = scene();
  for (let times = 0; times < 999; times += 1) note({ headers: {} }, "127.0.0.1");
  expect(telemetry.entries).toEqual([]);
  for (let times = 0; times < 1_000; times += 1) note({ headers: {} }, "127.0.0.1");
  expect(telemetry.entries).toMatchObject([{ fields: { hint: expect.stringContaining("X-Forwarded-For") } }]);
});

test("callers from outside, from many private addresses, or behind a declared proxy give none", () => {
  const outside = scene();
  outside.note({ headers: { via: "1.1 proxy" } }, "192.0.2.1");
  for (let times = 0; times < 3_000; times += 1) outside.note({ headers: {} }, "192.0.2.1");
  const many = scene();
  for (let times = 0; times < 3_000; times += 1) many.note({ headers: {} }, `10.0.0.${times % 3}`);
  const declared = scene(1);
  for (let times = 0; times < 3_000; times += 1) declared.note({ headers: { via: "1.1 proxy" } }, "10.0.0.7");
  for (const { telemetry } of [outside, many, declared]) expect(telemetry.entries).toEqual([]);
});
