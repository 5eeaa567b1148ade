import type { Ports } from "@postern/core";
import type { InboxHandler } from "@postern/inbox";
import type { JobHandler, Schedule } from "@postern/jobs";
import type { Operation } from "@postern/rest";
import { adminOperation } from "../admin-operation.ts";
import type { Retention } from "../retention.ts";
import { readHealth } from "./health/read-health.ts";
import { health } from "./wire/health.ts";

/** What the health of an application is read from. */
export interface HealthSources {
  readonly ports: Ports;
  /** Whether the application takes webhooks. */
  readonly inbox: boolean;
  /** The senders whose keys come from the configuration. */
  readonly configured: ReadonlySet<string>;
  readonly schedules: readonly Schedule[];
  readonly retention: Retention;
  readonly handlers: readonly (InboxHandler | JobHandler)[];
  /** Stores the counts of deliveries that this process has not stored yet. */
  readonly flush: () => Promise<void>;
}

/** The operation that says in a sentence whether work flows. */
export const healthOperation = ({ flush, ...parts }: HealthSources): Operation =>
  adminOperation({
    id: "admin.health",
    method: "GET",
    path: "/admin/health",
    summary: "Say in a sentence whether work flows and what holds it, with the facts behind it",
    success: { status: 200, description: "As it is now.", body: health },
    handle: async () => {
      await flush();
      const { level, sentence, facts } = await readHealth(parts);
      return {
        status: 200,
        body: { level, sentence, facts: facts.map(({ mend = null, ...rest }) => ({ ...rest, mend })) },
      };
    },
  });
