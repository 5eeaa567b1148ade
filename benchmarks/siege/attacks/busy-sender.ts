import { createHmac, randomUUID } from "node:crypto";
import { once } from "node:events";
import { Agent, createServer } from "node:http";
import type { Attack, Stage } from "../attack.ts";
import { send } from "../send.ts";
import { githubSecret } from "../server.ts";

const lanesEach = 4;
const stripeSecret = "the secret of a busy sender";
/** The busy sender's jobs fill the ten slots of the server from 500 webhooks a second on. */
const jobMs = 20;
const mostWaitMs = 2_000;

/** The service that the quiet sender's webhooks are passed on to. */
const openStage = async (): Promise<Stage> => {
  const waits: number[] = [];
  const service = createServer((request, response) => {
    const [, at] = /^\/(\d+)$/.exec(request.url ?? "") ?? [];
    if (at !== undefined) waits.push(Date.now() - Number(at));
    response.end(JSON.stringify(waits));
  }).listen(0, "127.0.0.1");
  await once(service, "listening");
  const address = service.address();
  if (address === null || typeof address === "string") throw new Error("the service has no port");
  const url = `http://127.0.0.1:${address.port}`;
  return {
    environment: { SERVICE: url, WEBHOOK_STRIPE_SECRET: stripeSecret },
    props: { service: url },
    close: async () => {
      service.close();
      service.closeAllConnections();
    },
  };
};

/** Every other webhook of the busy sender is for one order key, the others have a key each. */
const configuration = `const settings = { retry: { delaysMs: [1000] }, timeoutMs: 30_000 };
export default { handlers: [
  { ...settings, name: "busy", provider: "stripe", type: "*", orderKey: ({ payload }) => payload.key,
    handle: () => new Promise((resolve) => setTimeout(resolve, ${jobMs})) },
  { ...settings, name: "quiet", provider: "github", type: "siege",
    handle: async ({ payload }) => void await (await fetch(process.env.SERVICE + "/" + payload.at)).text() },
] };
`;

/** A sender whose webhooks make more work than the server can do must not delay another one's. */
export const busySender: Attack = {
  name: "busy-sender",
  does: "32 connections send webhooks with order keys faster than they are worked on, beside a quiet sender",
  requirement: "R29, fair to everybody",
  ciAlsoOn: ["mariadb"],
  seconds: 8,
  configuration,
  stage: openStage,
  run: async ({ port, addresses, props, isOver, pause }) => {
    const agent = new Agent({ keepAlive: true });
    let busy = 0;
    let quiet = 0;
    const post = (from: string, path: string, headers: Readonly<Record<string, string>>, body: string) =>
      send({ port, from, agent, method: "POST", path, headers, body });
    const lane = async (from: string): Promise<void> => {
      for (let turn = 0; !isOver(); turn += 1) {
        const id = randomUUID();
        const body = JSON.stringify({ id, object: "event", type: "siege", key: turn % 2 === 0 ? "one" : id, data: {} });
        const at = Math.floor(Date.now() / 1000);
        const digest = createHmac("sha256", stripeSecret).update(`${at}.${body}`).digest("hex");
        const headers = { "stripe-signature": `t=${at},v1=${digest}` };
        const { status } = await post(from, "/api/webhooks/stripe", headers, body);
        if (status === 200) busy += 1;
        else await pause(50);
      }
    };
    const quietSender = async (): Promise<void> => {
      for (; !isOver(); await pause(200)) {
        const body = JSON.stringify({ at: Date.now() });
        const headers = {
          "x-hub-signature-256": `sha256=${createHmac("sha256", githubSecret).update(body).digest("hex")}`,
          "x-github-delivery": randomUUID(),
          "x-github-event": "siege",
        };
        const { status } = await post("127.0.0.102", "/api/webhooks/github", headers, body);
        if (status === 200) quiet += 1;
      }
    };
    await Promise.all([
      quietSender(),
      ...addresses.flatMap((from) => Array.from({ length: lanesEach }, () => lane(from))),
    ]);
    agent.destroy();
    const waits: readonly number[] = JSON.parse(await (await fetch(`${props.service}/seen`)).text());
    const longest = Math.max(0, ...waits);
    const saw = `${busy} webhooks; ${waits.length} of ${quiet} of the quiet sender handled, the slowest after ${longest} ms`;
    // The last ones may still be on their way.
    const isUnfair = quiet - waits.length > mostWaitMs / 200 || longest > mostWaitMs;
    return { saw, fault: isUnfair ? saw : undefined };
  },
};
