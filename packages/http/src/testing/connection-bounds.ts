import assert from "node:assert/strict";
import { once } from "node:events";
import type { Socket } from "node:net";
import type { Cases } from "./cases.ts";
import { breakOff, from, hold } from "./from-address.ts";
import { expectProblem } from "./problem.ts";
import { lines, open, readToEnd } from "./raw.ts";
import type { ServedByServer } from "./trial.ts";

export const connectionBounds: Cases<ServedByServer> = {
  "connections: carry a number of requests, and then refuse the next": async (trial) => {
    const { port } = await trial.serve();
    const ask = lines("GET /health/live HTTP/1.1", "Host: a");
    const socket = await open(port);
    const text = readToEnd(socket);
    let sent = 0;
    const goOn = (): void => {
      if (sent === 1_000) return;
      sent += 10;
      socket.write(ask.repeat(sent < 1_000 ? 10 : 14));
    };
    let came = 0;
    socket.on("data", (bytes) => {
      came += String(bytes).split("HTTP/1.1 ").length - 1;
      if (came === sent) goOn();
    });
    goOn();
    const answers = trial.parseReplies(await text);
    assert.deepEqual([answers.length, answers.filter(({ status }) => status === 200).length], [1_001, 1_000]);
    await expectProblem(answers.at(-1), "overloaded");
    assert.equal(answers.at(-1)?.headers.get("retry-after"), "1");
    assert.equal(answers.at(-1)?.headers.get("connection"), "close");
  },
  "connections: carry 16 requests that wait behind the first, and then end": async (trial) => {
    const { port } = await trial.serve();
    const answers = await trial.raw(port, lines("GET /health/live HTTP/1.1", "Host: a").repeat(100));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [...Array.from({ length: 17 }, () => 200), 503],
    );
    await expectProblem(answers.at(-1), "overloaded");
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
    const { port, url } = await trial.serve({ maxConnectionsPerAddress: 2 });
    const held = [await hold("127.0.0.2", port), await hold("127.0.0.2", port)];
    const texts = await Promise.all(
      Array.from({ length: 400 }, async () => readToEnd((await hold("127.0.0.2", port)).resume())),
    );
    assert.ok(texts.every((text) => text.startsWith("HTTP/1.1 503 ")));
    assert.ok(held.every(({ destroyed }) => !destroyed));
    assert.equal((await from("127.0.0.3", `${url}/health/live`)).status, 200);
  },
  "connections: of an address that breaks off hundreds wait for each other for a while, those of others do not": async (
    trial,
  ) => {
    const { port, url } = await trial.serve();
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
    assert.equal((await from("127.0.0.2", `${url}/health/live`)).status, 200);
    await breakOff("127.0.0.2", port);
    assert.equal((await from("127.0.0.3", `${url}/health/live`)).status, 200);
    const own = Array.from({ length: 12 }, () => from("127.0.0.2", `${url}/health/live`));
    for (let times = 0; times < 20; times += 1) {
      assert.equal((await from("127.0.0.3", `${url}/health/live`)).status, 200);
    }
    for (const answer of own) assert.equal((await answer).status, 200);
  },
  "connections: of an address are not slowed down however many there are, if each is answered": async (trial) => {
    const { url } = await trial.serve();
    for (let times = 0; times < 400; times += 1) {
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
