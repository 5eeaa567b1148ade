import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import type { App } from "@postern/app";
import { makeApp } from "./app-under-test.ts";
import { reaches } from "./assertions.ts";
import type { Cases } from "./cases.ts";
import { from, hold } from "./from-address.ts";
import { lines, readToEnd } from "./raw.ts";
import type { ServedByServer } from "./trial.ts";

/** An app whose answers wait for `open`, and which counts its requests. */
const waitingApp = () => {
  const made = makeApp();
  const gate = new EventEmitter().setMaxListeners(0);
  const asked = { count: 0 };
  const app: App = {
    ...made.app,
    handle: async (request) => {
      asked.count += 1;
      await once(gate, "open");
      return made.app.handle(request);
    },
  };
  return { made: { ...made, app }, asked, open: () => gate.emit("open") };
};

const statusesOf = async (replies: readonly ReturnType<typeof from>[]): Promise<readonly (number | undefined)[]> =>
  (await Promise.all(replies)).map(({ status }) => status).toSorted();

export const fairShareConnections: Cases<ServedByServer> = {
  "requests in flight: several greedy addresses leave some slots to a newcomer": async (trial) => {
    const { made, asked, open } = waitingApp();
    const { url } = await trial.serve({ maxInFlight: 12, maxSlotWaitMs: 0 }, made);
    const greedy: ReturnType<typeof from>[] = [];
    for (const address of ["127.0.0.2", "127.0.0.3", "127.0.0.4"]) {
      for (let index = 0; index < 6; index += 1) {
        const before = asked.count;
        const reply = from(address, `${url}/api`);
        greedy.push(reply);
        // Each is taken or refused before the next one comes.
        await Promise.race([reaches(() => asked.count, before + 1), reply]);
      }
    }
    const taken = asked.count;
    assert.ok(taken < 12, `${taken} of 12`);
    const newcomer = from("127.0.0.5", `${url}/api`);
    await reaches(() => asked.count, taken + 1);
    open();
    assert.equal((await newcomer).status, 200);
    assert.ok((await statusesOf(greedy)).includes(503));
  },
  "requests in flight: webhooks that wait for their turn take no slots": async (trial) => {
    const made = makeApp();
    let begun = 0;
    const app: App = {
      ...made.app,
      receive: async () => {
        begun += 1;
        // Longer than a turn, so that everything else that has come waits for the next ones.
        for (const untilMs = performance.now() + 15; performance.now() < untilMs; );
        return { status: 200, body: { id: "1", status: "accepted" } };
      },
    };
    const { url, port } = await trial.serve({ maxInFlight: 4 }, { ...made, app });
    // Some senders ask with a GET before they send. It has no body, so its work begins at once.
    const handshake = lines("GET /api/webhooks/acme HTTP/1.1", "Host: a", "Connection: close");
    /**
     * A connection that the server has taken, so that what comes over all of them comes together.
     */
    const taken = async (address: string) => {
      const socket = await hold(address, port, lines("GET /health/live HTTP/1.1", "Host: a"));
      await once(socket.resume(), "data");
      return socket;
    };
    const senders = await Promise.all(Array.from({ length: 24 }, () => taken("127.0.0.2")));
    const newcomer = await taken("127.0.0.3");
    for (const sender of senders) sender.write(handshake);
    newcomer.write(lines("GET /api HTTP/1.1", `Host: ${new URL(url).host}`, "Connection: close"));
    const [answer] = trial.parseReplies(await readToEnd(newcomer.resume()));
    assert.equal(answer?.status, 200);
    assert.ok(begun > 0);
  },
  "a process that is late: refuses addresses with most of the work, and serves those below the average": async (
    trial,
  ) => {
    const delay = { ms: 0 };
    const { url } = await trial.serve({ eventLoopDelayMs: () => delay.ms });
    const at = async (address: string) => (await from(address, `${url}/api`)).status;
    await Promise.all(Array.from({ length: 20 }, () => at("127.0.0.2")));
    assert.equal(await at("127.0.0.3"), 200);
    delay.ms = 1_500;
    assert.deepEqual([await at("127.0.0.2"), await at("127.0.0.3"), await at("127.0.0.4")], [503, 200, 200]);
    // As late as this, nobody can be served.
    delay.ms = 4_000;
    assert.equal(await at("127.0.0.4"), 503);
  },
  "a process that is late: counts the bytes of bodies as work, too": async (trial) => {
    const delay = { ms: 0 };
    const { url } = await trial.serve({ eventLoopDelayMs: () => delay.ms });
    const body = `{"a":[${"[],".repeat(300_000)}[]]}`;
    const headers = { "content-type": "application/json" };
    await from("127.0.0.2", `${url}/api/v2/users`, { headers, body });
    await statusesOf(Array.from({ length: 10 }, () => from("127.0.0.3", `${url}/api`)));
    delay.ms = 1_500;
    assert.equal((await from("127.0.0.3", `${url}/api`)).status, 200);
    assert.equal((await from("127.0.0.2", `${url}/api`)).status, 503);
  },
};
