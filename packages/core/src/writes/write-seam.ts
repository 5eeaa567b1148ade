import type { Resource } from "../model/resource.ts";
import type { Clock } from "../ports/clock.ts";
import { equals } from "../ports/condition.ts";
import type { Ids } from "../ports/ids.ts";
import type { NewJob } from "../ports/job.ts";
import type { Cascade, ResourceRepository, Row } from "../ports/resource-repository.ts";
import {
  type JoinedStores,
  type Origin,
  type OwnTables,
  type OwnTransaction,
  type Storage,
  type Stores,
  storeNames,
} from "../ports/storage.ts";
import type { Wakeup } from "../ports/wakeup.ts";
import type { BeforeWrites } from "./before-write.ts";
import { type Change, changedFields } from "./change.ts";
import { type ChangeListener, ChangeRecords, depthOf } from "./change-records.ts";
import { type OpenWrites, openWritesMember, openWritesOf } from "./open-writes.ts";

/** Somebody in this process who wants to know at once that rows may have changed. */
export interface Watcher {
  /** The names of the resources. */
  readonly resources: ReadonlySet<string>;
  /** Called before the writer learns that the write is done, and also if the write failed. */
  changed(): void;
}

/** Who hears of the writes of rows. */
export interface WriteHooks {
  readonly beforeWrites: BeforeWrites;
  readonly listeners: readonly ChangeListener[];
  readonly watchers: readonly Watcher[];
  /** The job that goes on with a deletion of many rows. */
  readonly finishDeletions: NewJob;
}

interface SeamParts {
  readonly storage: Storage;
  readonly ids: Pick<Ids, "uuid">;
  readonly clock: Pick<Clock, "now">;
  readonly wakeup: Pick<Wakeup, "notify">;
  /** All resources. */
  readonly resources: readonly Resource[];
}

/** The stores of `stores`, each looked up when it is used; only `resources` is replaced. */
class SeamStores {
  readonly stores: Stores;
  readonly [openWritesMember]: OpenWrites;
  readonly #resources: () => ResourceRepository;

  constructor(stores: Stores, resources: () => ResourceRepository, open: OpenWrites) {
    this.stores = stores;
    this.#resources = resources;
    this[openWritesMember] = open;
  }

  get resources(): ResourceRepository {
    return this.#resources();
  }
}

for (const name of storeNames) {
  if (name === "resources") continue;
  Object.defineProperty(SeamStores.prototype, name, {
    get(this: SeamStores) {
      return this.stores[name];
    },
  });
}

const seamStores = (...given: ConstructorParameters<typeof SeamStores>): Stores =>
  new SeamStores(...given) as unknown as Stores /* by the getters above */;

const system = (id: string) => ({ scope: { where: equals("id", id), reason: "a write that hooks hear of" } });

/** How many rows of a resource `deleteWhere` reads at once where somebody hears of them. */
const atOnce = 500;

/** Called after each write of a row of which somebody gets records. */
type Written = (resource: Resource, rowId: string, change: Change | undefined) => Promise<void>;

/** What one open transaction writes, on its way to the storage. */
class OpenTransaction implements OpenWrites {
  isTouched = false;
  readonly #seam: Seam;
  readonly #stores: Stores;
  readonly #origin: Origin;
  readonly #written: Written;
  #isLeft = false;
  // Many transactions use neither.
  #records: ChangeRecords | undefined;
  #resources: ResourceRepository | undefined;

  constructor(seam: Seam, stores: Stores, origin: Origin, written: Written) {
    this.#seam = seam;
    this.#stores = stores;
    this.#origin = origin;
    this.#written = written;
  }

  get records(): ChangeRecords {
    this.#records ??= new ChangeRecords(this.#seam.parts, this.#origin);
    return this.#records;
  }

  get resources(): ResourceRepository {
    this.#resources ??= this.#repository();
    return this.#resources;
  }

  /** Its methods are named, because a spread with members after it takes seven times as long (benchmarks/objects). */
  #repository(): ResourceRepository {
    const { find, list, findEach, listBelow, usage, count, hold } = this.#stores.resources;
    return {
      find,
      list,
      findEach,
      listBelow,
      usage,
      count,
      hold,
      insert: (...given) => this.#insert(...given),
      update: (...given) => this.#update(...given),
      delete: (...given) => this.#delete(...given),
      deleteWhere: (...given) => this.#deleteWhere(...given),
    };
  }

  hears({ name }: Resource): boolean {
    return this.#seam.heard.has(name);
  }

  ask: OpenWrites["ask"] = (resource, write) =>
    this.#seam.hooks.beforeWrites.ask(this.#stores.resources, resource, write, this.#origin.caller ?? null);

  /** The jobs of everything that was written. */
  async jobs(): Promise<readonly NewJob[]> {
    const jobs: NewJob[] = this.#isLeft ? [this.#seam.hooks.finishDeletions] : [];
    for (const change of this.#records?.all() ?? []) jobs.push(...(await this.#seam.jobsOf(change, this.#origin)));
    return jobs;
  }

  async #note(resource: Resource, before: Row | undefined, row: Row | undefined): Promise<void> {
    if (!this.#seam.listened.has(resource.name)) return;
    const change = this.records.note(resource, before, row);
    await this.#written(resource, String((row ?? before)?.id), change);
  }

  async #insert(...[given, row, options]: Parameters<ResourceRepository["insert"]>): Promise<void> {
    const { resources } = this.#stores;
    const resource = this.#seam.inForce(given);
    if (!this.hears(resource)) return resources.insert(resource, row);
    const whole = options?.isAsked === true ? row : (await this.ask(resource, { row })).row;
    await resources.insert(resource, whole);
    await this.#note(resource, undefined, { ...whole, revision: 1 });
  }

  async #update(...[given, at, changes, options = {}]: Parameters<ResourceRepository["update"]>) {
    const { resources } = this.#stores;
    const resource = this.#seam.inForce(given);
    this.#touch(resource);
    const stored = this.hears(resource) ? (options.stored ?? (await this.#held(resource, at.id))) : undefined;
    if (stored === undefined) return resources.update(resource, at, changes, options);
    let written = changes;
    if (
      options.isAsked !== true &&
      isForCallers(resource, changedFields(resource, stored, { ...stored, ...changes }))
    ) {
      const { more } = await this.ask(resource, { stored, row: { ...stored, ...changes } });
      written = { ...changes, ...more };
    }
    const result = await resources.update(resource, at, written, options);
    const revision = Number(stored.revision) + 1;
    if (result === "done") await this.#note(resource, stored, { ...stored, ...written, revision });
    return result;
  }

  async #delete(...[given, id, scope, options = {}]: Parameters<ResourceRepository["delete"]>) {
    const { resources } = this.#stores;
    const resource = this.#seam.inForce(given);
    this.#touch(resource);
    const stored = this.hears(resource) ? (options.stored ?? (await this.#held(resource, id))) : undefined;
    if (stored !== undefined && options.isAsked !== true) await this.ask(resource, { stored });
    if (!this.#seam.isAbove(resource)) {
      const result = await resources.delete(resource, id, scope, options);
      if (result === "done" && stored !== undefined) await this.#note(resource, stored, undefined);
      return result;
    }
    const gone: { resource: Resource; row: Row }[] = [];
    const cascade: Cascade = {
      resources: this.#seam.listened,
      deleted: (of, rows) => {
        for (const row of rows) gone.push({ resource: of, row });
      },
      left: () => {
        this.#isLeft = true;
      },
    };
    const result = await resources.delete(resource, id, scope, { ...options, cascade });
    if (result !== "done") return result;
    for (const { resource: of, row } of gone) await this.#note(of, row, undefined);
    if (stored !== undefined) await this.#note(resource, stored, undefined);
    return result;
  }

  async #deleteWhere(...[resource, scope, where]: Parameters<ResourceRepository["deleteWhere"]>): Promise<number> {
    const { resources } = this.#stores;
    this.#touch(resource);
    if (!this.hears(resource) && !this.#seam.isAbove(resource)) return resources.deleteWhere(resource, scope, where);
    let removed = 0;
    for (;;) {
      const order = [{ field: "id", direction: "asc" }] as const;
      const rows = await resources.list(resource, { scope, where, order, limit: atOnce, fields: ["id"] });
      for (const { id } of rows) if ((await this.#delete(resource, String(id), scope)) === "done") removed += 1;
      if (rows.length < atOnce) return removed;
    }
  }

  /** The whole row, which nobody else changes from now on. */
  async #held(resource: Resource, id: string): Promise<Row | undefined> {
    const { resources } = this.#stores;
    await resources.hold(resource, system(id), 1);
    return resources.find(resource, id, system(id).scope);
  }

  #touch({ name }: Resource): void {
    this.isTouched ||= this.#seam.watched.has(name);
  }
}

/** Whether somebody asked for a change of these fields: callers write at least one of them. */
const isForCallers = ({ fields }: Resource, changed: readonly string[]): boolean =>
  changed.some((name) => fields[name]?.write !== "nobody");

/** What the seam knows once, for all transactions. */
class Seam {
  readonly parts: SeamParts;
  readonly hooks: WriteHooks;
  /** The names of the resources that somebody watches, that somebody gets records of, and those that need a whole row. */
  readonly watched: ReadonlySet<string>;
  readonly listened: ReadonlySet<string>;
  readonly heard: ReadonlySet<string>;
  readonly #above: ReadonlySet<string>;
  readonly #kinds: ReadonlySet<string>;
  readonly #byName: ReadonlyMap<string, Resource>;

  constructor(parts: SeamParts, hooks: WriteHooks) {
    const { resources } = parts;
    this.parts = parts;
    this.hooks = hooks;
    this.#byName = new Map(resources.map((one) => [one.name, one]));
    this.watched = new Set(hooks.watchers.flatMap((watcher) => [...watcher.resources]));
    this.listened = new Set(hooks.listeners.map(({ resource }) => resource));
    const asked = resources.filter((one) => hooks.beforeWrites.asks(one)).map(({ name }) => name);
    this.heard = new Set([...this.listened, ...asked]);
    this.#above = resourcesAbove(resources, this.listened);
    this.#kinds = new Set(hooks.listeners.flatMap(({ kind }) => kind ?? []));
  }

  /** The resource as the application has it. Postern's own code writes users by the built-in one. */
  inForce(resource: Resource): Resource {
    return this.#byName.get(resource.name) ?? resource;
  }

  /** Whether rows that somebody gets records of go with a row of this resource. */
  isAbove({ name }: Resource): boolean {
    return this.#above.has(name);
  }

  async jobsOf(change: Change, origin: Origin): Promise<readonly NewJob[]> {
    const depth = depthOf(this.#kinds, origin) + 1;
    const jobs: NewJob[] = [];
    for (const listener of this.hooks.listeners) {
      if (listener.resource === change.resource) jobs.push(...(await listener.jobsFor(change, depth, origin)));
    }
    return jobs;
  }

  tell(isTouched: boolean): void {
    if (isTouched) for (const watcher of this.hooks.watchers) watcher.changed();
  }
}

/** The resources with rows that take rows of these with them when they are deleted. */
const resourcesAbove = (resources: readonly Resource[], names: ReadonlySet<string>): ReadonlySet<string> => {
  const above = new Set<string>();
  for (let found = [...names]; found.length > 0; ) {
    const next = resources
      .filter(({ name }) => found.includes(name))
      .flatMap(({ fields }) => Object.values(fields).flatMap(({ references }) => references?.resource ?? []));
    found = next.filter((name) => !above.has(name));
    for (const name of found) above.add(name);
  }
  return above;
};

const later = async (): Promise<void> => undefined;

/**
 * The one way to the rows: every write of a row passes this storage, from a request or from code. It
 * asks the hooks that come before a write, and stores a job for each listener of a change, in the
 * transaction of the write. Resources to which nobody listens cost nothing further.
 *
 * Not writes in this sense: copies, restores, steps of the schema, and SQL of your own.
 */
export const createWriteSeam = (parts: SeamParts, hooks: WriteHooks): Storage => {
  const { storage, clock, wakeup } = parts;
  const seam = new Seam(parts, hooks);
  if (seam.heard.size === 0 && seam.watched.size === 0) return storage;

  const transaction: Storage["transaction"] = async (work, origin = {}) => {
    let isTouched = false;
    let hasJobs = false;
    try {
      const result = await storage.transaction(async (stores, own) => {
        const open = new OpenTransaction(seam, stores, origin, later);
        hasJobs = false;
        try {
          const made = await work(
            seamStores(stores, () => open.resources, open),
            own,
          );
          const jobs = await open.jobs();
          if (jobs.length > 0) await stores.jobs.enqueue(jobs, clock.now());
          hasJobs = jobs.length > 0;
          return made;
        } finally {
          isTouched ||= open.isTouched;
        }
      }, origin);
      if (hasJobs) wakeup.notify();
      return result;
    } finally {
      seam.tell(isTouched);
    }
  };

  /** A write outside of a transaction has one of its own, where somebody hears of it. */
  const alone = async <Result>(resource: Resource, write: (resources: ResourceRepository) => Promise<Result>) => {
    if (seam.heard.has(resource.name) || seam.isAbove(resource)) {
      return transaction(({ resources }) => write(resources));
    }
    try {
      return await write(storage.resources);
    } finally {
      seam.tell(seam.watched.has(resource.name));
    }
  };
  // Everything else comes from `storage.resources` when it is used.
  const resources: ResourceRepository = Object.assign(Object.create(storage.resources), {
    insert: (...given) => alone(given[0], (inner) => inner.insert(...given)),
    update: (...given) => alone(given[0], (inner) => inner.update(...given)),
    delete: (...given) => alone(given[0], (inner) => inner.delete(...given)),
    deleteWhere: (...given) => alone(given[0], (inner) => inner.deleteWhere(...given)),
  } satisfies Pick<ResourceRepository, "insert" | "update" | "delete" | "deleteWhere">);

  /** In a transaction of the application nothing tells of its end, so jobs are stored with each write. */
  const joined = ({ stores, afterCommit }: JoinedStores): JoinedStores => {
    let isTold = false;
    let wakes = false;
    const stored = new Map<string, readonly NewJob[]>();
    const written = async (resource: Resource, rowId: string, change: Change | undefined): Promise<void> => {
      const id = change?.id ?? open.records.idOf(resource, rowId);
      const before = id === undefined ? undefined : stored.get(id);
      if (id === undefined || (change === undefined && before === undefined)) return;
      const jobs = change === undefined ? (before ?? []).map(ofNothing) : await seam.jobsOf(change, {});
      if (jobs.length === 0) return;
      // A later write of the same row takes the place of an earlier one in the same job.
      const own = jobs.map((job): NewJob => ({ ...job, unique: { key: `${id} ${job.kind}`, whenTaken: "replace" } }));
      stored.set(id, own);
      await stores.jobs.enqueue(own, clock.now());
      if (!wakes && !afterCommit(() => wakeup.notify())) wakeup.notify();
      wakes = true;
    };
    const open = new OpenTransaction(seam, stores, {}, written);
    const touching: ResourceRepository = {
      ...open.resources,
      update: (...given) => told(open.resources.update(...given)),
      delete: (...given) => told(open.resources.delete(...given)),
      deleteWhere: (...given) => told(open.resources.deleteWhere(...given)),
    };
    const told = async <Result>(write: Promise<Result>): Promise<Result> => {
      if (open.isTouched && !isTold) afterCommit(() => seam.tell(true));
      isTold ||= open.isTouched;
      return write;
    };
    return { stores: seamStores(stores, () => touching, open), afterCommit };
  };

  const { join, housekeeping } = storage;
  // A transaction asks the hooks, in its own open writes.
  const open: OpenWrites = { hears: ({ name }) => seam.heard.has(name), ask: openWritesOf(storage).ask };
  return Object.assign(
    seamStores(storage, () => resources, open),
    {
      transaction,
      ...(join === undefined ? {} : { join: (given: OwnTransaction): JoinedStores => joined(join(given)) }),
      housekeeping:
        seam.listened.size === 0
          ? housekeeping
          : Object.assign(Object.create(housekeeping) as typeof housekeeping, {
              finishDeletions: (limit: number) =>
                housekeeping.finishDeletions(limit, {
                  resources: seam.listened,
                  deleted: async (queue, resource, rows) => {
                    const records = new ChangeRecords(parts, {});
                    for (const row of rows) records.note(resource, row, undefined);
                    const jobs: NewJob[] = [];
                    for (const change of records.all()) jobs.push(...(await seam.jobsOf(change, {})));
                    if (jobs.length > 0) await queue.enqueue(jobs, clock.now());
                  },
                }),
            }),
      auditChain: storage.auditChain,
      deliveryCounts: storage.deliveryCounts,
      feed: storage.feed,
      refusals: storage.refusals,
      counts: storage.counts,
      snapshot: storage.snapshot,
      past: storage.past,
      freeBytes: () => storage.freeBytes(),
      check: () => storage.check(),
      checkWritable: () => storage.checkWritable(),
    },
  ) as Storage & {
    transaction: <Result>(work: (stores: Stores, own: OwnTables) => Promise<Result>) => Promise<Result>;
  };
};

/** The job of a row that the transaction has left as it was. Its run does nothing. */
const ofNothing = (job: NewJob): NewJob => ({ ...job, payload: null });
