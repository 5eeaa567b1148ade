import { accountBounds, createApp } from "@postern/app";
import { defineJob, newJob } from "@postern/core";
import { memoryPorts } from "@postern/core/memory";
import { expect, test } from "vitest";
import { testApi } from "./api.ts";

test.each(Object.entries(accountBounds))("an application takes no %s beyond its range", (name, { least, most }) => {
  const made = (value: number) => () => createApp({ ports: memoryPorts(), settings: { [name]: value } });
  expect(made(least)).not.toThrow();
  expect(made(most)).not.toThrow();
  for (const value of [least - 1, most + 1, least + 0.5, Number.NaN]) {
    expect(made(value)).toThrow(`${name} is a whole number from ${least} to ${most}`);
  }
});

test("how many failures of a kind are logged is a setting", () => {
  const { app, ports } = testApi({ settings: { failureLines: 2 } });
  for (let n = 0; n < 5; n += 1) app.fail(new Error("a bug"), { path: "/api/v2/posts", requestId: "one" });
  expect(ports.telemetry.entries.filter(({ message }) => message === "request failed").length).toBe(2);
});

test("how long the payloads of a job may be is a setting of the job", () => {
  const run = async () => undefined;
  const large = defineJob<string>("large", run, { payloadBytes: 200_000 });
  expect(newJob(large, "x".repeat(199_998)).payload).toHaveLength(199_998);
  expect(() => newJob(large, "x".repeat(199_999))).toThrow("at most 200000");
  expect(() => newJob(defineJob<string>("small", run, { payloadBytes: 10 }), "x".repeat(9))).toThrow("at most 10");
  for (const payloadBytes of [0, 1_048_577, 1.5]) {
    expect(() => defineJob("job", run, { payloadBytes })).toThrow("from 1 to 1048576");
  }
});
