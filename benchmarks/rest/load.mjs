import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
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
    /** What all threads of the server have used, in ticks of the system (10 ms). */
    processorMicroseconds: () => {
      const [user, system] = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1].split(" ").slice(11, 13);
      return (Number(user) + Number(system)) * 10_000;
    },
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
 * Measures requests per second and the answer time of 99 in 100, over `seconds`. Throws if an
 * answer is wrong.
 */
export const measure = async ({ origin, base, tokens }, kind, seconds) => {
  const expected = kind === "create" && base !== undefined ? 201 : 200;
  let caller = 0;
  const result = await autocannon({
    url: origin,
    connections,
    duration: seconds,
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
