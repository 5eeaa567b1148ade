import assert from "node:assert/strict";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "@postern/app";
import { memoryTelemetry } from "@postern/core/memory";
import { makeApp } from "./app-under-test.ts";
import { assertMatches, reaches } from "./assertions.ts";
import type { Cases } from "./cases.ts";
import { from, hold } from "./from-address.ts";
import { lines } from "./raw.ts";
import type { ServedByServer } from "./trial.ts";

const get = (path: string, ...more: readonly string[]) => lines(`GET ${path} HTTP/1.1`, "Host: a", ...more);

/** An app that counts its requests and answers each with this text, or with one of this length. */
const answering = (text: number | string) => {
  const made = makeApp();
  const asked = { count: 0 };
  const app: App = {
    ...made.app,
    handle: async () => {
      asked.count += 1;
      return { status: 200, text: typeof text === "string" ? text : "x".repeat(text) };
    },
  };
  return { made: { ...made, app }, asked };
};

/** Far more than the kernel buffers for a reader that does not read. */
const large = 12_000_000;

export const unreadAnswerConnections: Cases<ServedByServer> = {
  "answers that are not read: keep their address from getting further answers, however small": async (trial) => {
    const made = makeApp();
    const asked = { count: 0 };
    const app: App = {
      ...made.app,
      handle: async (request) => {
        try {
          await request.body();
        } catch (thrown) {
          return made.app.fail(thrown, { path: "/api", requestId: request.facts.id });
        }
        asked.count += 1;
        return { status: 200, text: "x".repeat(asked.count === 1 ? large : 1) };
      },
    };
    const { port, url } = await trial.serve({}, { ...made, app });
    const unread = await hold("127.0.0.2", port, get("/api"));
    await once(unread, "readable");
    assert.equal((await from("127.0.0.2", `${url}/api`)).status, 503);
    assert.equal(asked.count, 1);
    assert.equal((await from("127.0.0.3", `${url}/api`)).status, 200);
  },
  "answers that are not read: are made one at a time for each connection, however many requests were pipelined": async (
    trial,
  ) => {
    const { made, asked } = answering(large);
    let begun = 0;
    const requestId = () => `request ${++begun}`;
    const { port } = await trial.serve({ requestId, memoryLimitBytes: 40 * large }, made);
    for (let index = 0; index < 4; index += 1) await hold("127.0.0.2", port, get("/api").repeat(17));
    await reaches(() => asked.count, 4);
    await sleep(300);
    // A request that waits costs no more than Node's own objects for it.
    assert.deepEqual([asked.count, begun], [4, 4]);
  },
  "answers that are not read: all arrive in order once they are read": async (trial) => {
    const { made } = answering(300_000);
    const { port } = await trial.serve({}, made);
    const answers = await trial.raw(port, get("/api").repeat(16) + get("/nowhere", "Connection: close"));
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.length > 1000]),
      [...Array.from({ length: 16 }, () => [200, true]), [404, false]],
    );
  },
  "answers that are not read: are bounded by address, and refuse nobody else": async (trial) => {
    const { made } = answering(large);
    const { port, url } = await trial.serve({ memoryLimitBytes: 4 * large }, made);
    const waiting = await hold("127.0.0.2", port, get("/api"));
    await once(waiting, "readable");
    const second = await from("127.0.0.2", `${url}/api`);
    assertMatches([second.status, JSON.parse(second.text)], [503, { code: "overloaded" }]);
    assert.equal(second.headers["retry-after"], "1");
    assert.equal((await from("127.0.0.3", `${url}/api`)).text.length, large);
  },
  "large answers: are not refused to many who read the same document at once": async (trial) => {
    const { url } = await trial.serve({ memoryLimitBytes: 8_000_000 });
    const { length } = await (await fetch(`${url}/api/v2/docs`)).text();
    assert.ok(length > 500_000);
    const answers = await Promise.all(Array.from({ length: 40 }, () => from("127.0.0.2", `${url}/api/v2/docs`)));
    for (const { status, text } of answers) assert.deepEqual([status, text.length], [200, length]);
  },
  "answers that are not read: make way when others need the memory, once their reader has taken nothing for a second":
    async (trial) => {
      const { made } = answering(large);
      const telemetry = memoryTelemetry();
      const { port, url } = await trial.serve({ telemetry, memoryLimitBytes: 4 * large }, made);
      for (const address of ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"]) {
        await once(await hold(address, port, get("/api")), "readable");
      }
      assert.equal((await from("127.0.0.6", `${url}/api`)).status, 503);
      await sleep(1_200);
      assert.equal((await from("127.0.0.6", `${url}/api`)).text.length, large);
      assert.equal(telemetry.counted("http_readers_cut_total", { reason: "memory" }), 1);
      // Its memory is free again, so others follow.
      assert.equal((await from("127.0.0.7", `${url}/api`)).text.length, large);
    },
  "answers that are not read: leave in pieces that let others in between": async (trial) => {
    const { made } = answering(large);
    const { url } = await trial.serve({ memoryLimitBytes: 40 * large }, made);
    const answers = Promise.all(Array.from({ length: 4 }, () => from("127.0.0.2", `${url}/api`)));
    assert.equal((await from("127.0.0.3", `${url}/health/live`)).status, 200);
    for (const { status, text, headers } of await answers) {
      assert.deepEqual([status, text.length, headers["content-length"]], [200, large, String(large)]);
    }
  },
  "large answers: arrive as they are, wherever their characters are cut": async (trial) => {
    for (const shift of ["", "a", "aé", "aé€"]) {
      const text = `${shift}${"🙂€é".repeat(200_000)}`;
      const { url } = await trial.serve({}, answering(text).made);
      const answer = await fetch(`${url}/api`);
      assert.equal(answer.headers.get("content-length"), String(Buffer.byteLength(text)));
      assert.ok((await answer.text()) === text, "another text arrived");
    }
  },
};
