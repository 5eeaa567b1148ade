import type { Stores } from "@postern/core";
import { storeNames } from "@postern/core/ports";
import type { Database } from "../engine/database.ts";
import { knexAnswerStore } from "./knex-answer-store.ts";
import { knexAuditLog } from "./knex-audit-log.ts";
import { knexEventStore } from "./knex-event-store.ts";
import { knexForwardStore } from "./knex-forward-store.ts";
import { knexJobQueue } from "./knex-job-queue.ts";
import { knexJobRecords } from "./knex-job-records.ts";
import { knexNotes } from "./knex-notes.ts";
import { knexPlanStore } from "./knex-plan-store.ts";
import { knexProviderStore } from "./knex-provider-store.ts";
import { knexQueues } from "./knex-queues.ts";
import { knexResourceRepository } from "./knex-resource-repository.ts";
import { knexRunners } from "./knex-runners.ts";
import { knexScheduleSlots } from "./knex-schedule-slots.ts";
import { knexSigningKeyStore } from "./knex-signing-key-store.ts";
import type { RepositoryParts } from "./resource-statements.ts";

type Makers = { readonly [Name in keyof Stores]: (database: Database, parts: RepositoryParts) => Stores[Name] };

/** How each store is made. */
const makers: Makers = {
  resources: knexResourceRepository,
  events: knexEventStore,
  plans: knexPlanStore,
  notes: knexNotes,
  forwards: knexForwardStore,
  providers: knexProviderStore,
  jobs: knexJobQueue,
  jobRecords: knexJobRecords,
  queues: knexQueues,
  scheduleSlots: knexScheduleSlots,
  runners: knexRunners,
  audit: knexAuditLog,
  answers: knexAnswerStore,
  signingKeys: knexSigningKeyStore,
};

/**
 * The stores of one transaction, or those outside of transactions. A transaction uses one or two of
 * them, so each is made when it is first used. The getters are the prototype's, because a literal with
 * them would cost each transaction 5 kB.
 */
class LazyStores {
  readonly made: Partial<Record<keyof Stores, unknown>> = {};
  readonly database: Database;
  readonly parts: RepositoryParts;

  constructor(database: Database, parts: RepositoryParts) {
    this.database = database;
    this.parts = parts;
  }
}

for (const name of storeNames) {
  Object.defineProperty(LazyStores.prototype, name, {
    get(this: LazyStores) {
      this.made[name] ??= makers[name](this.database, this.parts);
      return this.made[name];
    },
  });
}

export const knexStores = (database: Database, parts: RepositoryParts): Stores =>
  new LazyStores(database, parts) as unknown as Stores /* by the getters above */;

/** The same stores as members of a literal, so that you can spread the object. */
export const everyStore = (stores: Stores): Stores =>
  Object.fromEntries(storeNames.map((name) => [name, stores[name]])) as unknown as Stores /* all of them */;
