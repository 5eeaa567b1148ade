import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, get, type RequestOptions } from "node:https";
import { connect, type TLSSocket } from "node:tls";
import { assertMatches } from "./assertions.ts";
import type { Cases } from "./cases.ts";
import { selfSigned } from "./certificate.ts";
import { expectProblem } from "./problem.ts";
import { open, readToEnd } from "./raw.ts";
import type { ServedByServer } from "./trial.ts";

const first = selfSigned("first");

const second = selfSigned("second");

/** The peer that answered, and its answer. */
const ask = (url: string, options: RequestOptions): Promise<{ name: string; status: number | undefined }> =>
  new Promise((resolve, reject) => {
    get(url, options, (answer) => {
      // An https answer comes over a TLS socket.
      const name = (answer.socket as TLSSocket).getPeerCertificate().subject.CN;
      answer.resume().once("end", () => resolve({ name: String(name), status: answer.statusCode }));
    }).once("error", reject);
  });

export const tlsConnections: Cases<ServedByServer> = {
  "HTTPS: is spoken with a certificate and a key": async (trial) => {
    const { url } = await trial.serve({ tls: first });
    assertMatches(url, /^https:/);
    assert.deepEqual(await ask(`${url}/api`, { ca: first.cert }), { name: "first", status: 200 });
  },
  "HTTPS: uses a new certificate for new connections after a reload": async (trial) => {
    const { url, server } = await trial.serve({ tls: first });
    const kept = new Agent({ keepAlive: true, ca: [first.cert, second.cert] });
    assert.equal((await ask(`${url}/api`, { agent: kept })).name, "first");
    server.reloadTls(second);
    assert.equal((await ask(`${url}/api`, { agent: kept })).name, "first");
    assert.equal((await ask(`${url}/api`, { ca: second.cert })).name, "second");
    kept.destroy();
  },
  "HTTPS: answers bytes that are not HTTP as HTTP does": async (trial) => {
    const { port } = await trial.serve({ tls: first });
    const socket = connect({ port, host: "127.0.0.1", ca: first.cert });
    await once(socket, "secureConnect");
    const text = readToEnd(socket);
    socket.write("nonsense\r\n\r\n");
    await expectProblem(trial.parseReplies(await text)[0], "bad_request");
  },
  "HTTPS: survives a caller that speaks no TLS": async (trial) => {
    const { url, port } = await trial.serve({ tls: first });
    const socket = await open(port);
    socket.on("error", () => undefined).resume();
    const closed = once(socket, "close");
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await closed;
    assert.equal((await ask(`${url}/api`, { ca: first.cert })).status, 200);
  },
  "HTTPS: drains": async (trial) => {
    const { url, server } = await trial.serve({ tls: first });
    const kept = new Agent({ keepAlive: true, ca: first.cert });
    await ask(`${url}/api`, { agent: kept });
    const started = performance.now();
    await server.close({ graceMs: 15_000 });
    assert.ok(performance.now() - started < 5_000);
    kept.destroy();
  },
};
