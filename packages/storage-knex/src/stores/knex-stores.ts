import type { Stores } from "@postern/core";
import type { Database } from "../database.ts";
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
import { knexResourceRepository, type RepositoryParts } from "./knex-resource-repository.ts";
import { knexRunners } from "./knex-runners.ts";
import { knexScheduleSlots } from "./knex-schedule-slots.ts";
import { knexSigningKeyStore } from "./knex-signing-key-store.ts";

/**
 * The stores of one transaction, or those outside of transactions. A transaction uses one or two of
 * them, so each is made when it is first used. This is a class because a literal with these getters
 * would cost each transaction 5 kB.
 */
export class KnexStores implements Stores {
  readonly #database: Database;
  readonly #repository: RepositoryParts;
  #resources: Stores["resources"] | undefined;
  #events: Stores["events"] | undefined;
  #plans: Stores["plans"] | undefined;
  #notes: Stores["notes"] | undefined;
  #forwards: Stores["forwards"] | undefined;
  #providers: Stores["providers"] | undefined;
  #jobs: Stores["jobs"] | undefined;
  #jobRecords: Stores["jobRecords"] | undefined;
  #queues: Stores["queues"] | undefined;
  #scheduleSlots: Stores["scheduleSlots"] | undefined;
  #runners: Stores["runners"] | undefined;
  #audit: Stores["audit"] | undefined;
  #answers: Stores["answers"] | undefined;
  #signingKeys: Stores["signingKeys"] | undefined;

  constructor(database: Database, repository: RepositoryParts) {
    this.#database = database;
    this.#repository = repository;
  }

  get resources(): Stores["resources"] {
    this.#resources ??= knexResourceRepository(this.#database, this.#repository);
    return this.#resources;
  }

  get events(): Stores["events"] {
    this.#events ??= knexEventStore(this.#database);
    return this.#events;
  }

  get plans(): Stores["plans"] {
    this.#plans ??= knexPlanStore(this.#database);
    return this.#plans;
  }

  get notes(): Stores["notes"] {
    this.#notes ??= knexNotes(this.#database);
    return this.#notes;
  }

  get forwards(): Stores["forwards"] {
    this.#forwards ??= knexForwardStore(this.#database);
    return this.#forwards;
  }

  get providers(): Stores["providers"] {
    this.#providers ??= knexProviderStore(this.#database);
    return this.#providers;
  }

  get jobs(): Stores["jobs"] {
    this.#jobs ??= knexJobQueue(this.#database);
    return this.#jobs;
  }

  get jobRecords(): Stores["jobRecords"] {
    this.#jobRecords ??= knexJobRecords(this.#database);
    return this.#jobRecords;
  }

  get queues(): Stores["queues"] {
    this.#queues ??= knexQueues(this.#database);
    return this.#queues;
  }

  get scheduleSlots(): Stores["scheduleSlots"] {
    this.#scheduleSlots ??= knexScheduleSlots(this.#database);
    return this.#scheduleSlots;
  }

  get runners(): Stores["runners"] {
    this.#runners ??= knexRunners(this.#database);
    return this.#runners;
  }

  get audit(): Stores["audit"] {
    this.#audit ??= knexAuditLog(this.#database);
    return this.#audit;
  }

  get answers(): Stores["answers"] {
    this.#answers ??= knexAnswerStore(this.#database);
    return this.#answers;
  }

  get signingKeys(): Stores["signingKeys"] {
    this.#signingKeys ??= knexSigningKeyStore(this.#database);
    return this.#signingKeys;
  }
}

/** The same stores as members of a literal, so that you can spread the object. */
export const everyStore = (stores: Stores): Stores => ({
  resources: stores.resources,
  events: stores.events,
  plans: stores.plans,
  notes: stores.notes,
  forwards: stores.forwards,
  providers: stores.providers,
  jobs: stores.jobs,
  jobRecords: stores.jobRecords,
  queues: stores.queues,
  scheduleSlots: stores.scheduleSlots,
  runners: stores.runners,
  audit: stores.audit,
  answers: stores.answers,
  signingKeys: stores.signingKeys,
});
