import type { Ports } from "@postern/core";
import type { Providers } from "@postern/inbox";
import type { Operation } from "@postern/rest";
import type { EventPlans } from "../plans/event-plans.ts";
import type { Settings } from "../settings.ts";
import { auditOperations } from "./audit-operations.ts";
import { causeOperation } from "./cause-operation.ts";
import { countOperations } from "./count-operation.ts";
import type { EventParts } from "./event-filters.ts";
import { eventOperations } from "./event-operations.ts";
import type { Feed } from "./feed/feed.ts";
import { feedOperation } from "./feed-operation.ts";
import { findOperation } from "./find-operation.ts";
import { type HealthSources, healthOperation } from "./health-operation.ts";
import { jobOperations } from "./job-operations.ts";
import { noteOperations } from "./note-operations.ts";
import { planOperations } from "./plan-operations.ts";
import { providerKeyOperations } from "./provider-key-operations.ts";
import { providerOperations } from "./provider-operations.ts";
import { queueOperations } from "./queue-operations.ts";
import { refusalOperations } from "./refusal-operations.ts";
import { replayOperations } from "./replay-operations.ts";
import { scheduleOperations } from "./schedule-operations.ts";
import { searchOperation } from "./search-operation.ts";
import { settingOperation } from "./setting-operation.ts";
import { webhookOperations } from "./webhook-operations.ts";
import type { ShownSetting } from "./wire/setting.ts";

export { clientOperations } from "./client-operations.ts";
export { createFeed } from "./feed/feed.ts";
export { continuedDeletion, maintenanceSchedules } from "./maintenance/maintenance.ts";
export { signingKeyOperations } from "./signing-key-operations.ts";
export { createStorageGauges } from "./storage-gauges.ts";
export type { ShownSetting } from "./wire/setting.ts";

/** The dependencies of the operators' part. */
export interface OperatorParts extends EventParts {
  readonly ports: Ports;
  readonly settings: Pick<Settings, "webhookLimitBytes">;
  readonly providers: Providers;
  readonly plans: Pick<EventPlans, "jobFor">;
  readonly feed: Pick<Feed, "open">;
  readonly health: Pick<HealthSources, "configured" | "schedules" | "retention" | "handlers" | "flush">;
  /** Stores what this process has counted and not stored yet. */
  readonly countsFlush: () => Promise<void>;
  /** The names of Postern's own schedules. */
  readonly upkeep: readonly string[];
  readonly configuration: () => readonly ShownSetting[];
}

/** What operators do with events, jobs and senders. `inbox`: whether the application takes webhooks; `users`: has accounts. */
export const operatorOperations = (
  given: OperatorParts,
  { inbox, users }: { readonly inbox: boolean; readonly users: boolean },
): readonly Operation[] => {
  const { ports, health, upkeep } = given;
  return [
    ...(inbox
      ? [
          ...webhookOperations(given.settings),
          ...eventOperations(given),
          searchOperation(given),
          findOperation(given, users),
        ]
      : []),
    ...jobOperations(ports, upkeep),
    causeOperation(ports),
    feedOperation(given.feed, ports.storage.audit),
    ...queueOperations(ports),
    ...scheduleOperations(ports, health.schedules, upkeep),
    healthOperation({ ports, inbox, ...health }),
    ...countOperations(ports, given.countsFlush),
    ...(inbox
      ? [
          ...providerOperations(given),
          ...providerKeyOperations(given),
          ...replayOperations(given),
          ...planOperations({ ...given, users }, given.plans),
          ...refusalOperations(given, health.flush),
          ...noteOperations(given),
        ]
      : []),
    ...auditOperations(ports),
    settingOperation(given.configuration),
  ];
};
