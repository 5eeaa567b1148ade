import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
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
  "requests in flight: webhooks that wait for their turn take no slots": async (trial) => {
    const made = makeApp();
    let begun = 0;
    const app: App = {
      ...made.app,
      receive: async () => {
        begun += 1;
        // Longer than a turn, so that everything else that has come waits for the next ones.
        for (const untilMs = performance.now() + 15; performance.now() < untilMs; );
        return { status: 200, body: { id: "1", status: "accepted" }, done: "stored" };
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
  "requests in flight: of several greedy addresses leave the next place to a newcomer": async (trial) => {
    const { made, asked, open } = waitingApp();
    const { url } = await trial.serve({ maxInFlight: 4 }, made);
    const greedy = ["127.0.0.2", "127.0.0.3"].flatMap((address) =>
      Array.from({ length: 20 }, () => from(address, `${url}/api`)),
    );
    await reaches(() => asked.count, 4);
    const newcomer = from("127.0.0.5", `${url}/api`);
    // What was sent later has an answer, so the newcomer has come, too.
    for (let times = 0; times < 5; times += 1) await from("127.0.0.6", `${url}/health/live`);
    /** Lets those that are answered go, again and again, until something has come. */
    const openUntil = async (end: Promise<unknown>): Promise<void> => {
      let isOver = false;
      void end.finally(() => {
        isOver = true;
      });
      while (!isOver) {
        open();
        await sleep(5);
      }
    };
    await openUntil(newcomer);
    assert.equal((await newcomer).status, 200);
    assert.ok(asked.count <= 16, `${asked.count - 5} others went first`);
    await openUntil(Promise.all(greedy));
    assert.ok((await statusesOf(greedy)).every((status) => status === 200));
  },
};
