import assert from "node:assert/strict";
import { once } from "node:events";
import type { Cases } from "./cases.ts";
import { expectProblem } from "./problem.ts";
import { open, readToEnd } from "./raw.ts";
import type { ServedByServer, Trial } from "./trial.ts";

const begun = "POST /api/v2/sessions HTTP/1.1\r\nHost: a\r\n";

/** The server's answer to a caller that has sent this and then nothing more. */
const answerTo = async (trial: Trial, port: number, sent: string) => {
  const socket = await open(port);
  const text = readToEnd(socket);
  socket.write(sent);
  return trial.parseReplies(await text);
};

const live = "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n";

/**
 * The statuses of the answers to a request, and to what is sent on its connection just before the
 * event loop is busy until after the pause that it may make.
 */
const answersAfterPause = async (trial: Trial<ServedByServer>, sent: string): Promise<readonly number[]> => {
  const { port } = await trial.serve({ keepAliveTimeoutMs: 200, requestTimeoutMs: 15_000 });
  const socket = await open(port);
  const text = readToEnd(socket);
  socket.write(live);
  await once(socket, "data");
  socket.write(sent);
  // Newer versions of Node allow a second more than the server says.
  const untilMs = performance.now() + 1_400;
  while (performance.now() < untilMs);
  return trial.parseReplies(await text).map(({ status }) => status);
};

export const slowCallerConnections: Cases<ServedByServer> = {
  "a caller that does not end the head of its request is answered 408 and cut off": async (trial) => {
    const { port } = await trial.serve({ requestTimeoutMs: 300 });
    const [answer, ...others] = await answerTo(trial, port, begun);
    await expectProblem(answer, "request_timeout");
    assert.equal(answer?.headers.get("connection"), "close");
    assert.deepEqual(others, []);
  },
  "a caller that does not end its body is answered 408 and cut off": async (trial) => {
    const { port } = await trial.serve({ requestTimeoutMs: 300 });
    const head = `${begun}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n`;
    const [answer] = await answerTo(trial, port, `${head}{"email":`);
    await expectProblem(answer, "request_timeout");
  },
  "a connection that pauses for too long between requests is closed": async (trial) => {
    const { port } = await trial.serve({ keepAliveTimeoutMs: 100 });
    const answers = await answerTo(trial, port, live);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200],
    );
  },
  "a connection may pause for longer behind a proxy of your own, which keeps it for a minute": async (trial) => {
    for (const [trustProxy, told] of [
      [0, "timeout=5"],
      [1, "timeout=75"],
    ] as const) {
      const { url } = await trial.serve({ trustProxy });
      const { headers } = await trial.fetch(`${url}/health/live`);
      assert.equal(headers.get("keep-alive"), told);
    }
  },
  "a request that comes right after the pause that its caller was told is answered": async (trial) => {
    const { port } = await trial.serve({ keepAliveTimeoutMs: 400, requestTimeoutMs: 15_000 });
    const socket = await open(port);
    const text = readToEnd(socket);
    socket.write(live);
    await once(socket, "data");
    await new Promise((resolve) => setTimeout(resolve, 600));
    socket.write(live);
    assert.deepEqual(
      trial.parseReplies(await text).map(({ status }) => status),
      [200, 200],
    );
  },
  "a request that came while the event loop was busy is answered, although the pause was too long": async (trial) => {
    assert.deepEqual(await answersAfterPause(trial, live), [200, 200]);
  },
  "a part of a request that came so is not, and the connection is closed": async (trial) => {
    assert.deepEqual(await answersAfterPause(trial, "GET"), [200]);
  },
  "a caller that stalls takes nothing from the others": async (trial) => {
    // Long enough for a request that does not stall to arrive on a busy machine.
    const { port, url } = await trial.serve({ requestTimeoutMs: 4_500 });
    const stalling = Array.from({ length: 50 }, () => answerTo(trial, port, begun));
    assert.equal((await trial.fetch(`${url}/api`)).status, 200);
    for (const answers of await Promise.all(stalling)) assert.equal(answers[0]?.status, 408);
  },
};
