import assert from "node:assert/strict";
import { once } from "node:events";
import { get as httpsGet } from "node:https";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Cases } from "./cases.ts";
import { selfSigned } from "./certificate.ts";
import { breakOff } from "./from-address.ts";
import { lines, open, readToEnd } from "./raw.ts";
import type { ServedByServer } from "./trial.ts";

const certificate = selfSigned("one");

export const tlsBoundConnections: Cases<ServedByServer> = {
  "TLS: answers have HSTS if the server itself speaks TLS, and only then": async (trial) => {
    const { url } = await trial.serve({ tls: certificate });
    const headers = await new Promise<NodeJS.Dict<string | string[]>>((resolve, reject) => {
      httpsGet(`${url}/api`, { ca: certificate.cert }, (answer) => {
        answer.resume();
        resolve(answer.headers);
      }).once("error", reject);
    });
    assert.equal(headers["strict-transport-security"], "max-age=31536000");
    const plain = await trial.serve();
    assert.equal((await trial.fetch(`${plain.url}/api`)).headers.has("strict-transport-security"), false);
  },
  "TLS: handshakes that do not end are cut": async (trial) => {
    const { port } = await trial.serve({ tls: certificate, requestTimeoutMs: 600 });
    const socket = connect({ port, host: "127.0.0.1" });
    socket.on("error", () => undefined).resume();
    const started = performance.now();
    await once(socket, "close");
    assert.ok(performance.now() - started < 5_000);
  },
  "TLS: only new connections of an address that broke off hundreds wait for each other": async (trial) => {
    const { port, url } = await trial.serve({ tls: certificate });
    const ask = (localAddress: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const options = { ca: certificate.cert, agent: false, localAddress };
        httpsGet(`${url}/health/live`, options, (answer) => {
          answer.resume().once("end", () => resolve(answer.statusCode));
        }).once("error", reject);
      });
    for (let times = 0; times < 20; times += 1) assert.equal(await ask("127.0.0.3"), 200);
    await breakOff("127.0.0.2", port);
    assert.equal(await ask("127.0.0.3"), 200);
    for (const status of await Promise.all(Array.from({ length: 12 }, () => ask("127.0.0.2")))) {
      assert.equal(status, 200);
    }
  },
  "the drain delay: says not ready on new connections before any is refused": async (trial) => {
    const { server, url, port } = await trial.serve();
    const closed = server.close({ delayMs: 600, graceMs: 5_000 });
    await sleep(100);
    const socket = await open(port);
    const text = readToEnd(socket);
    socket.write(lines("GET /health/ready HTTP/1.1", "Host: a", "Connection: close"));
    assert.equal(trial.parseReplies(await text)[0]?.status, 503);
    assert.equal((await trial.fetch(`${url}/health/live`)).status, 200);
    assert.equal((await trial.fetch(`${url}/api`)).status, 200);
    await closed;
    await assert.rejects(open(port), { code: "ECONNREFUSED" });
  },
};
