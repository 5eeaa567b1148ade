import type { Resource } from "@postern/core";
import { type Deprecation, targetText } from "../deprecations/deprecation.ts";
import { type OpenApiDocument, openApiSteps } from "../openapi/openapi.ts";
import type { Steps } from "../openapi/steps.ts";
import { type ApiVersion, createVersions, newestOf } from "../versions/api-versions.ts";
import type { VersionChange, VersionDefinition } from "../versions/version.ts";
import type { VersionId } from "../versions/version-id.ts";
import { type Difference, openApiDifferences } from "./openapi-difference.ts";

export const changeKinds = ["added", "renamed", "removed", "deprecated", "changed"] as const;

/** One thing that changed, for who uses the API. */
export interface ChangeLogEntry {
  readonly id: string;
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** The version that brought it; for a deprecation, the version that it is about. */
  readonly api_version: VersionId;
  readonly kind: (typeof changeKinds)[number];
  readonly breaking: boolean;
  readonly title: string;
  readonly target: {
    readonly type: "endpoint" | "parameter" | "field" | "response" | "version";
    readonly name: string;
    /** Ids of the operations that it is about, where it is not about a field, which many share. */
    readonly operations: readonly string[];
  };
  readonly from: string | null;
  readonly to: string | null;
  readonly description: string;
  readonly migration: string;
  readonly deprecation_id: string | null;
}

/** A part of the change log that nobody has accounted for: something went and something of the same form came, and no change says that it is a rename. */
interface Unexplained {
  readonly change: string;
  readonly removed: string;
  readonly added: string;
}

const shown = (value: unknown): string | null =>
  value === undefined ? null : typeof value === "string" ? value : JSON.stringify(value);

/** What the same difference is called wherever it stands: a field has one name in the row, in the bodies that write it and in lists. */
const groupOf = ({ target, kind, what }: Difference): string => {
  const name =
    target.resource === undefined
      ? `${target.type} ${target.location ?? ""} ${target.name ?? target.operation}`
      : `${target.resource}.${target.field}`;
  return [kind, what ?? "", target.type === "response" ? `response ${target.location} ${target.name}` : name].join("|");
};

const nameOf = ({ target }: Difference): string => {
  if (target.resource !== undefined) return `${target.resource}.${target.field}`;
  return target.name ?? target.operation ?? "";
};

interface Group {
  readonly first: Difference;
  readonly all: readonly Difference[];
}

const grouped = (differences: readonly Difference[]): readonly Group[] => {
  const groups = new Map<string, Difference[]>();
  for (const difference of differences) {
    const key = groupOf(difference);
    groups.set(key, [...(groups.get(key) ?? []), difference]);
  }
  return [...groups.values()].flatMap((all) => (all[0] === undefined ? [] : [{ first: all[0], all }]));
};

/** Members that a change says are the same under two names. */
const renamesOf = (change: VersionChange) =>
  change.effects.flatMap((effect) =>
    effect.on === "member" && effect.newer !== undefined && effect.newer !== effect.older
      ? [{ resource: effect.resource, older: effect.older, newer: effect.newer, within: effect.within }]
      : [],
  );

/** What the members of an added object are is told with the object. */
const withoutInner = (groups: readonly Group[]): readonly Group[] =>
  groups.filter(
    ({ first }) =>
      !groups.some((other) => other.first.kind === first.kind && nameOf(first).startsWith(`${nameOf(other.first)}.`)),
  );

/** A change as entries, and what in its differences it does not account for. */
export const entriesOf = (
  change: VersionChange,
  version: Pick<VersionDefinition, "id" | "released">,
  differences: readonly Difference[],
): { readonly entries: readonly ChangeLogEntry[]; readonly unexplained: readonly Unexplained[] } => {
  let groups = withoutInner(grouped(differences));
  const base = (
    id: string,
    part: Pick<ChangeLogEntry, "kind" | "breaking" | "target" | "from" | "to">,
  ): ChangeLogEntry => ({
    id: `${version.id}-${change.id}${id}`,
    date: version.released,
    api_version: version.id,
    title: change.title,
    description: change.why,
    migration: change.migration,
    deprecation_id: null,
    ...part,
  });
  const entries: ChangeLogEntry[] = [];
  for (const { resource, older, newer, within } of renamesOf(change)) {
    const [from, to] = [`${resource}.${older}`, `${resource}.${newer}`];
    groups = groups.filter(({ first }) => nameOf(first) !== from && nameOf(first) !== to);
    entries.push(
      base(`-${resource}-${newer}`, {
        kind: "renamed",
        breaking: true,
        target: { type: "field", name: to, operations: [] },
        from,
        to: within === undefined ? to : `${to}.${within}`,
      }),
    );
  }
  const unexplained: Unexplained[] = [];
  for (const { first, all } of groups) {
    const twin = first.kind !== "removed" ? undefined : groups.find((other) => isTwin(first, other.first));
    if (twin !== undefined) unexplained.push({ change: change.id, removed: nameOf(first), added: nameOf(twin.first) });
    const operations = [...new Set(all.flatMap(({ target }) => target.operation ?? []))];
    entries.push(
      base(`-${nameOf(first)}-${first.what ?? first.kind}`, {
        kind: first.what === "path" ? "renamed" : first.kind,
        breaking: all.some(({ breaking }) => breaking),
        target: { type: first.target.type, name: nameOf(first), operations },
        from: first.kind === "added" || typeof first.from === "object" ? null : shown(first.from),
        to: first.kind === "removed" || typeof first.to === "object" ? null : shown(first.to),
      }),
    );
  }
  return { entries, unexplained };
};

/** Something of the same form in the same place: the question is whether it is the same thing. */
const isTwin = (removed: Difference, added: Difference): boolean =>
  added.kind === "added" &&
  added.target.type === removed.target.type &&
  added.target.location === removed.target.location &&
  added.target.resource === removed.target.resource &&
  formOf(added.to) === formOf(removed.from);

const formOf = (schema: unknown): string => {
  const {
    description: _text,
    examples: _examples,
    ...form
  } = (typeof schema === "object" ? schema : {}) as Record<string, unknown>;
  return JSON.stringify(form);
};

/** A change alone, and what it makes different. */
interface Stage {
  readonly change: VersionDefinition["changes"][number];
  readonly version: Omit<VersionDefinition, "changes">;
  readonly differences: readonly Difference[];
}

/** The same API with the changes made one at a time, so that each difference is some change's own. */
function* stageSteps(
  definitions: readonly VersionDefinition[],
  newest: ApiVersion,
  resources: readonly Resource[],
): Steps<readonly Stage[]> {
  const made = definitions.flatMap(({ changes, ...version }) => changes.map((change) => ({ change, version })));
  const stages = createVersions(
    [
      { id: "v1", released: "2000-01-01", changes: [] },
      ...made.map(
        ({ change }, index): VersionDefinition => ({ id: `v${index + 2}`, released: "2000-01-01", changes: [change] }),
      ),
    ],
    newest.operations,
  );
  const documents: OpenApiDocument[] = [];
  for (const stage of stages) documents.push(yield* openApiSteps(stage, resources));
  const told: Stage[] = [];
  for (const [index, { change, version }] of made.entries()) {
    yield;
    const differences = openApiDifferences(documents[index] ?? {}, documents[index + 1] ?? {});
    told.push({ change, version, differences });
  }
  return told;
}

export interface ChangeLog {
  /** Newest first. */
  readonly entries: readonly ChangeLogEntry[];
  readonly unexplained: readonly Unexplained[];
}

const deprecationEntry = (deprecation: Deprecation): ChangeLogEntry => {
  const { id, target, announced, sunset, replacement, reason, migration } = deprecation;
  const to = replacement.field ?? replacement.operation;
  return {
    id: `deprecated-${id}`,
    date: announced,
    api_version: target.version,
    kind: "deprecated",
    breaking: false,
    title: `${targetText(target)} is deprecated, and goes away after ${sunset}`,
    target: {
      type:
        "resource" in target
          ? "field"
          : "parameter" in target
            ? "parameter"
            : "operation" in target
              ? "endpoint"
              : "version",
      name:
        "resource" in target
          ? `${target.resource}.${target.field}`
          : "parameter" in target
            ? String(target.parameter)
            : target.version,
      operations: "operation" in target ? [target.operation] : [],
    },
    from: targetText(target),
    to: to === undefined ? replacement.version : `${replacement.version} ${to}`,
    description: reason,
    migration,
    deprecation_id: id,
  };
};

/** Made from what the versions differ in and the records of their changes, a step at a time; nothing in it is written by hand. */
export function* changeLogSteps(
  definitions: readonly VersionDefinition[],
  versions: readonly ApiVersion[],
  deprecations: readonly Deprecation[],
  resources: readonly Resource[],
): Steps<ChangeLog> {
  const stages = yield* stageSteps(definitions, newestOf(versions), resources);
  const told = stages.map(({ change, version, differences }) => entriesOf(change, version, differences));
  const entries = [...told.flatMap((one) => one.entries), ...deprecations.map(deprecationEntry)];
  const byDate = (left: ChangeLogEntry, right: ChangeLogEntry): number =>
    left.date < right.date ? 1 : left.date > right.date ? -1 : 0;
  return { entries: entries.toSorted(byDate), unexplained: told.flatMap((one) => one.unexplained) };
}
