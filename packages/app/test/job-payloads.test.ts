import { defineJob, newJob } from "@postern/jobs";
import { expect, test } from "vitest";

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

test.each([
  ["a NUL character", "a\0b"],
  ["half of a surrogate pair", "a\ud800"],
])("a job has no key with %s, which not every database stores", (_what, key) => {
  const job = defineJob("job", async () => undefined);
  expect(() => newJob(job, undefined, { orderKey: key })).toThrow("orderKey has a NUL character or half of");
  expect(() => newJob(job, undefined, { unique: { key } })).toThrow("unique.key has a NUL character or half of");
});
