import assert from "node:assert/strict";
import { once } from "node:events";
import type { Socket } from "node:net";
import { defaultLimits } from "@postern/rest";
import { bearer, forged, makeApp, signUp } from "./app-under-test.ts";
import type { Cases } from "./cases.ts";
import { from, hold } from "./from-address.ts";
import { expectProblem } from "./problem.ts";
import { lines, open, readToEnd } from "./raw.ts";
import type { ServedByServer } from "./trial.ts";

export const connectionBounds: Cases<ServedByServer> = {
  "connections: carry a thousand requests, pipelined or not, and then refuse the next": async (trial) => {
    const { port } = await trial.serve();
    const socket = await open(port);
    const text = readToEnd(socket);
    socket.write(lines("GET /health/live HTTP/1.1", "Host: a").repeat(1_050));
    const answers = trial.parseReplies(await text);
    assert.equal(answers.length, 1_001);
    assert.ok(answers.slice(0, 1_000).every(({ status }) => status === 200));
    const last = answers.at(-1);
    await expectProblem(last, "overloaded");
    assert.equal(last?.headers.get("retry-after"), "1");
    assert.equal(last?.headers.get("connection"), "close");
  },
  "connections: are bounded for each address": async (trial) => {
    const { port, url } = await trial.serve({ maxConnectionsPerAddress: 5 });
    for (let index = 0; index < 5; index += 1) await hold("127.0.0.2", port);
    const refused = await hold("127.0.0.2", port);
    const [answer] = trial.parseReplies(await readToEnd(refused.resume()));
    await expectProblem(answer, "overloaded");
    assert.equal((await from("127.0.0.3", `${url}/health/live`)).status, 200);
  },
  "connections: beyond the share of an address are each answered, and are no fault of the address": async (trial) => {
    const { port, url } = await trial.serve({
      maxConnectionsPerAddress: 2,
      maxUnansweredPerMinute: 3,
      maxNewConnectionsPerSecond: 5,
    });
    const held = [await hold("127.0.0.2", port), await hold("127.0.0.2", port)];
    const texts = await Promise.all(
      Array.from({ length: 40 }, async () => readToEnd((await hold("127.0.0.2", port)).resume())),
    );
    assert.ok(texts.every((text) => text.startsWith("HTTP/1.1 503 ")));
    assert.ok(held.every(({ destroyed }) => !destroyed));
    assert.equal((await from("127.0.0.3", `${url}/health/live`)).status, 200);
  },
  "connections: of an address that breaks them off are slowed down, those of others are not": async (trial) => {
    const { port, url } = await trial.serve({ maxUnansweredPerMinute: 5, maxNewConnectionsPerSecond: 3 });
    const upload =
      "POST /api/webhooks/github HTTP/1.1\r\nHost: x\r\nContent-Length: 20000\r\nExpect: 100-continue\r\n\r\nhalf";
    for (let times = 0; times < 3; times += 1) {
      const socket = await hold("127.0.0.2", port, upload);
      // `100 Continue`: the server has begun to read the body.
      const answered = once(socket, "data");
      socket.resume();
      await answered;
      socket.destroy();
    }
    for (let times = 0; times < 2; times += 1) (await hold("127.0.0.2", port)).destroy();
    assert.equal((await from("127.0.0.3", `${url}/health/live`)).status, 200);
    await expectSlowedDown("127.0.0.2", url);
    for (let times = 0; times < 20; times += 1) {
      assert.equal((await from("127.0.0.3", `${url}/health/live`)).status, 200);
    }
  },
  "connections: of an address that sends forged webhooks are slowed down": async (trial) => {
    const { url } = await trial.serve({ maxRefusedPerMinute: 2, maxNewConnectionsPerSecond: 3 });
    for (let times = 0; times < 2; times += 1) {
      assert.equal((await from("127.0.0.2", `${url}/api/webhooks/acme`, forged)).status, 401);
    }
    await expectSlowedDown("127.0.0.2", url);
    assert.equal((await from("127.0.0.3", `${url}/health/live`)).status, 200);
  },
  "connections: of an address that goes on after 401 are slowed down": async (trial) => {
    const { url } = await trial.serve({ maxRefusedPerMinute: 2, maxNewConnectionsPerSecond: 3 });
    const headers = { authorization: "Bearer wrong" };
    for (let times = 0; times < 2; times += 1) {
      assert.equal((await from("127.0.0.2", `${url}/api/v2/users/me`, { headers })).status, 401);
    }
    await expectSlowedDown("127.0.0.2", url);
    assert.equal((await from("127.0.0.3", `${url}/health/live`)).status, 200);
  },
  "connections: of an address are not slowed down for a user who sends too many requests": async (trial) => {
    const limits = { ...defaultLimits, default: { limit: 1, windowMs: 60_000 } };
    const { url } = await trial.serve(
      { maxRefusedPerMinute: 2, maxNewConnectionsPerSecond: 1 },
      makeApp({ settings: { rateLimits: "on", limits } }),
    );
    const { token } = await signUp(trial, url);
    const statuses: (number | undefined)[] = [];
    for (let times = 0; times < 20; times += 1) {
      statuses.push((await from("127.0.0.2", `${url}/api/v2/users/me`, { headers: bearer(token) })).status);
    }
    assert.deepEqual([...new Set(statuses)], [200, 429]);
  },
  "connections: of an address are not slowed down however many there are, if each is answered": async (trial) => {
    const { url } = await trial.serve({ maxUnansweredPerMinute: 2, maxNewConnectionsPerSecond: 1 });
    for (let times = 0; times < 20; times += 1) {
      assert.equal((await from("127.0.0.2", `${url}/health/live`)).status, 200);
    }
  },
  "connections: are bounded in total, and the address with the most loses one": async (trial) => {
    const { port, url } = await trial.serve({ maxConnections: 10, maxConnectionsPerAddress: 10 });
    const held: Socket[] = [];
    for (let index = 0; index < 10; index += 1) held.push(await hold("127.0.0.2", port));
    const first = held[0];
    if (first === undefined) throw new Error("nothing is held");
    first.resume();
    const closed = once(first, "close");
    assert.equal((await from("127.0.0.3", `${url}/health/live`)).status, 200);
    await closed;
    assert.equal(held.filter(({ destroyed }) => destroyed).length, 1);
  },
};

/**
 * Of 20 new connections at once, the number for one second is answered, or for two if a second ends
 * meanwhile. The rest are closed.
 */
const expectSlowedDown = async (address: string, url: string): Promise<void> => {
  const replies = await Promise.allSettled(Array.from({ length: 20 }, () => from(address, `${url}/health/live`)));
  const answered = replies.filter(({ status }) => status === "fulfilled").length;
  assert.ok(answered >= 1 && answered <= 6, `${answered} connections of 20 were answered`);
};
