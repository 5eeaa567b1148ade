import type { Answer } from "@postern/core";
import type { Exchange } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import { onlyToRead } from "./methods.ts";

const live = "/health/live";
const ready = "/health/ready";

export const isHealthPath = (path: string): boolean => path === live || path === ready;

/** Whether the process lives, and whether it should get requests. A stranger may ask, so it says that and nothing more. */
export const answerHealth = async (gateway: Gateway, exchange: Exchange): Promise<Answer> => {
  exchange.route = exchange.path;
  const instead = onlyToRead(exchange.method);
  if (instead !== undefined) return instead;
  const ok = exchange.path === live || (await gateway.readiness.check());
  return {
    status: ok ? 200 : 503,
    headers: { "cache-control": "no-store" },
    body: { status: ok ? "ok" : "unavailable" },
  };
};
