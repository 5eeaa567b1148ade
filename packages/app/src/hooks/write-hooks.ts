import type { Change, Ports, Resource, Storage } from "@postern/core";
import {
  type ChangeListener,
  createBeforeWrites,
  createWriteSeam,
  didYouMean,
  type Watcher,
} from "@postern/core/internal";
import { type JobHandler, newJob } from "@postern/jobs";
import { ownPrefix } from "@postern/jobs/internal";
import type { Operation } from "@postern/rest";
import { continuedDeletion } from "../operator/index.ts";
import type { Hook } from "./hooks.ts";

/** The resources of the built-in parts that hooks come before. All others are written by Postern alone. */
const askedAbout: readonly string[] = ["user", "post", "comment"];

type AfterCommit = Extract<Hook, { hook: "after-commit" }>;

const afterCommits = (hooks: readonly Hook[]): readonly AfterCommit[] =>
  hooks.flatMap((one) => (one.hook === "after-commit" ? [one] : []));

/** What is wrong with the hooks of an application. `builtIn` are the names of the resources of its parts. */
export const hookFaults = (
  hooks: readonly Hook[],
  resources: readonly Resource[],
  builtIn: ReadonlySet<string>,
): readonly string[] => {
  const names = resources.map(({ name }) => name);
  return hooks.flatMap(({ hook, name, resource }) => {
    if (hook === undefined) return ["hooks: make each with beforeWrite or afterCommit"];
    const place = `hook "${name}"`;
    if (!names.includes(resource)) {
      return [`${place}: there is no resource "${resource}"${didYouMean([resource], names)}; add it to "resources"`];
    }
    if (hook === "after-commit" && name.startsWith(ownPrefix)) {
      return [`${place}: names that begin with "${ownPrefix}" are Postern's own`];
    }
    if (hook === "before-write" && builtIn.has(resource) && !askedAbout.includes(resource)) {
      return [`${place}: Postern alone writes rows of "${resource}"; use afterCommit to hear of them`];
    }
    return [];
  });
};

/** The jobs of the hooks that come after a commit. */
export const jobsOfHooks = (hooks: readonly Hook[]): readonly JobHandler[] =>
  // Each gets the payloads that its listener below makes.
  afterCommits(hooks).map(({ job }) => job as JobHandler);

/** Operations that write rows of a resource beside those that each has. */
const furtherWriters: Readonly<Record<string, readonly string[]>> = {
  user: ["sign-ups.finish", "email-changes.finish"],
};

/**
 * The operation table, with what callers may get from hooks before a write: at the operations that write
 * the resource, and at all of the application's own, because they may write every row. With `outside`,
 * a token of an outside issuer makes an account at any operation.
 */
export const withRefusals = (
  operations: readonly Operation[],
  hooks: readonly Hook[],
  resources: ReadonlyMap<string, Resource>,
  { outside }: { readonly outside: boolean },
): readonly Operation[] => {
  const before = hooks.flatMap((one) => (one.hook === "before-write" ? [one] : []));
  if (before.length === 0) return operations;
  return operations.map((operation) => {
    const { id, method, body, own, refusals, errors = [] } = operation;
    const asked = before.filter(({ resource: name }) => {
      const { plural = "" } = resources.get(name) ?? {};
      const writers = ["create", "replace", "update", "delete"].map((verb) => `${plural}.${verb}`);
      if (outside && name === "user" && body !== "raw") return true;
      return (own !== undefined && method !== "GET") || [...writers, ...(furtherWriters[name] ?? [])].includes(id);
    });
    if (asked.length === 0) return operation;
    const further = Object.assign({}, ...asked.map((hook) => hook.errors));
    return { ...operation, refusals: { ...further, ...refusals }, errors: [...errors, "hook_failed"] };
  });
};

interface HookParts {
  readonly ports: Pick<Ports, "ids" | "clock" | "wakeup" | "telemetry"> & { readonly storage: Storage };
  readonly resources: readonly Resource[];
  readonly hooks: readonly Hook[];
  /** Postern's own. */
  readonly watchers: readonly Watcher[];
  readonly listeners: readonly ChangeListener[];
}

/** The storage of an application: every write of a row passes the hooks. */
export const storageWithHooks = ({ ports, resources, hooks, watchers, listeners }: HookParts): Storage => {
  const before = hooks.flatMap((one) => (one.hook === "before-write" ? [one] : []));
  return createWriteSeam(
    { ...ports, resources },
    {
      beforeWrites: createBeforeWrites({ ...ports, resources }, before),
      watchers,
      listeners: [
        ...listeners,
        ...afterCommits(hooks).map(({ resource, kinds, order, job }) => ({
          resource,
          kind: job.name,
          jobsFor: (change: Change, depth: number) =>
            kinds.includes(change.kind)
              ? [newJob(job, { change, depth }, order === "row" ? { orderKey: `${job.name} ${change.rowId}` } : {})]
              : [],
        })),
      ],
      finishDeletions: continuedDeletion,
    },
  );
};
