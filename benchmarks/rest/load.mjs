import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { callers, requests } from "./data.mjs";

const connections = 32;

/** The built server, as `npm start` starts it. */
export const postern = fileURLToPath(new URL("../../apps/server/dist/main.js", import.meta.url));

/** Starts a contender on one core and resolves when it listens. */
export const start = async (command, environment) => {
  const child = spawn("taskset", ["-c", "0", process.execPath, ...command], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`${command.join(" ")} ended with ${code}`)));
    const heard = (chunk) => {
      if (!/listening|"started"/.test(String(chunk))) return;
      child.stdout.off("data", heard).resume();
      resolve();
    };
    child.stdout.on("data", heard);
  });
  return {
    /** The processor time of all threads of the server, which live as long as it does. */
    processorMicroseconds: () =>
      readdirSync(`/proc/${child.pid}/task`)
        .map((thread) => readFileSync(`/proc/${child.pid}/task/${thread}/schedstat`, "utf8").split(" ")[0])
        .reduce((sum, nanoseconds) => sum + Number(nanoseconds) / 1_000, 0),
    stop: () =>
      new Promise((resolve) => {
        child.removeAllListeners("exit").once("exit", resolve);
        child.kill("SIGTERM");
        setTimeout(() => child.kill("SIGKILL"), 3000).unref();
      }),
  };
};

let turn = 0;

/**
 * Measures requests per second and the answer time of 99 in 100. `length` is how long it goes on:
 * `{ duration }` in seconds, or `{ amount }` of requests. Throws if an answer is wrong.
 */
export const measure = async ({ origin, base, tokens }, kind, length) => {
  const expected = kind === "create" && base !== undefined ? 201 : 200;
  let caller = 0;
  const result = await autocannon({
    url: origin,
    connections,
    ...length,
    // Postern closes a connection after 1,000 requests. autocannon does not notice that by itself.
    reconnectRate: 1000,
    setupClient: (client) => {
      const user = caller % callers;
      caller += 1;
      client.setRequests([
        {
          setupRequest: (request) => {
            turn += 1;
            return {
              ...request,
              ...requests[kind](base ?? "", user, turn),
              headers: {
                authorization: `Bearer ${tokens[user]}`,
                ...(kind === "create" ? { "content-type": "application/json" } : {}),
              },
            };
          },
        },
      ]);
    },
  });
  const good = result.statusCodeStats[expected]?.count ?? 0;
  if (good === 0 || good < result.requests.total - connections || result.errors > 0) {
    throw new Error(`${origin} ${kind}: ${JSON.stringify(result.statusCodeStats)}, ${result.errors} errors`);
  }
  return { perSecond: result.requests.average, p99: result.latency.p99, answered: good };
};
