import { freshDatabase } from "../siege/database.ts";
import { signedEvent } from "../siege/healthy-client.ts";
import { startServer } from "../siege/server.ts";
import { sendBurst } from "./burst.ts";

/** How many connections come at once, from how many addresses. */
const bursts = [
  { by: "fetch", addresses: 1, connections: 64 },
  { by: "agent", addresses: 1, connections: 150 },
  { by: "agent", addresses: 1, connections: 600 },
  { by: "agent", addresses: 10, connections: 900 },
] as const;
const requestsEach = 10;

/**
 * Genuine webhooks of 1 KiB, ten over each connection, to a server as it is shipped: a table of the
 * answers.
 */
export const busySenders = async (): Promise<string> => {
  const rows: string[] = [];
  for (const { by, addresses, connections } of bursts) {
    const database = await freshDatabase("sqlite");
    const server = await startServer({ database, memory: 512 });
    const statuses = await sendBurst({
      port: server.port,
      addresses: Array.from({ length: addresses }, (_, n) => `127.0.0.${n + 2}`),
      connections,
      requestsEach,
      by,
      wish: () => {
        const { headers, body } = signedEvent();
        return { method: "POST", path: "/api/webhooks/github", headers, body };
      },
    });
    const peak = Math.round(server.peakMemory());
    await server.stop();
    await database.drop();
    const count = (status: number): string => (statuses.get(status) ?? 0).toLocaleString("en");
    const refused = [...statuses].filter(([status]) => status !== 200 && status !== 0);
    const others = refused.reduce((sum, [, times]) => sum + times, 0);
    rows.push(`| ${addresses} | ${connections}, by ${by} | ${count(200)} | ${others} | ${count(0)} | ${peak} |`);
  }
  return [
    "| addresses | connections at once | answered 200 | refused | without an answer | peak MB |",
    "|---:|---|---:|---:|---:|---:|",
    ...rows,
  ].join("\n");
};
