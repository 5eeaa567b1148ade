import { expect, test } from "vitest";
import { expectProblem } from "./support/problem.ts";
import { open, parseReplies, readToEnd } from "./support/raw.ts";
import { serve } from "./support/serve.ts";

const begun = "POST /api/v2/sessions HTTP/1.1\r\nHost: a\r\n";

/** What the server says by itself to a caller that has sent this and then nothing. */
const answerTo = async (port: number, sent: string) => {
  const socket = await open(port);
  const text = readToEnd(socket);
  socket.write(sent);
  return parseReplies(await text);
};

test("a caller that does not end the head of its request is answered 408 and cut off", async () => {
  const { port } = await serve({ headersTimeoutMs: 100 });
  const [answer, ...others] = await answerTo(port, begun);
  await expectProblem(answer, "request_timeout");
  expect(answer?.headers.get("connection")).toBe("close");
  expect(others).toEqual([]);
});

test("a caller that does not end its body is answered 408 and cut off", async () => {
  const { port } = await serve({ headersTimeoutMs: 100, requestTimeoutMs: 200 });
  const head = `${begun}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n`;
  const [answer] = await answerTo(port, `${head}{"email":`);
  await expectProblem(answer, "request_timeout");
});

test("one who stalls takes nothing from the others", async () => {
  // Long enough for a request that does not stall to arrive on a busy machine.
  const { port, url } = await serve({ headersTimeoutMs: 1_500 });
  const stalling = Array.from({ length: 50 }, () => answerTo(port, begun));
  expect((await fetch(`${url}/api`)).status).toBe(200);
  for (const answers of await Promise.all(stalling)) expect(answers[0]?.status).toBe(408);
});
