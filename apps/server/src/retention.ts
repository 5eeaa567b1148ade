import type { Retention } from "@postern/app";
import { defaultRetention } from "@postern/app";
import type { ServerConfig } from "./config.ts";

/** The retention: the defaults, and above them the environment. Dead jobs are kept as long as their events. */
export const retentionOf = ({ retention }: Pick<ServerConfig, "retention">): Retention => {
  const { events = defaultRetention.events } = retention;
  const bodies = Math.min(defaultRetention.bodies, events);
  return { ...defaultRetention, dead_jobs: events, bodies, ...retention };
};
