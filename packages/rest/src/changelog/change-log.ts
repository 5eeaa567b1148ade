import type { Resource } from "@postern/core";
import { isObject } from "@postern/core/parts";
import { type Deprecation, kindOfTarget, replacementText, targetText } from "../deprecations/deprecation.ts";
import { propertiesOf, resourceOf, subjectOf } from "../json-schema/json-schema.ts";
import type { Steps } from "../limits/steps.ts";
import { type OpenApiDocument, openApiSteps } from "../openapi/openapi.ts";
import type { Operation } from "../operations/operation.ts";
import { pageFacts } from "../operations/page.ts";
import { filterName } from "../operations/query-list.ts";
import { type ApiVersion, createVersions, newestOf } from "../versions/api-versions.ts";
import { answerOf } from "../versions/conversion.ts";
import type { VersionChange, VersionDefinition } from "../versions/version.ts";
import type { ChangeLogEntry } from "./change-log-entry.ts";
import { type Correction, correctionEntries } from "./correction.ts";
import { type Difference, differenceSteps } from "./openapi-difference.ts";

/**
 * A difference that no change explains: something disappeared and something of the same form
 * appeared, and no change says that it was renamed.
 */
interface Unexplained {
  readonly change: string;
  readonly removed: string;
  readonly added: string;
}

/**
 * A key that is the same for the same difference in several places: a field has one name in the
 * row, in the bodies that write it, and in lists.
 */
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

/** Pairs of names that a change declares to be the same member. */
const renamesOf = (change: VersionChange) =>
  change.effects.flatMap((effect) =>
    effect.on === "member" && effect.newer !== undefined && effect.newer !== effect.older
      ? [{ resource: effect.resource, older: effect.older, newer: effect.newer, within: effect.within }]
      : [],
  );

/** If an object was added, its members need no entries of their own. */
const withoutInner = (groups: readonly Group[]): readonly Group[] =>
  groups.filter(
    ({ first }) =>
      !groups.some((other) => other.first.kind === first.kind && nameOf(first).startsWith(`${nameOf(other.first)}.`)),
  );

/** Which resource's rows each operation answers, by the operation's id. */
type Subjects = ReadonlyMap<string, string | undefined>;

/**
 * Whether the entry of a field also explains the difference of its filter, because the field has
 * another name or another form.
 */
const isFilterOf = (change: VersionChange, subjects: Subjects, { target }: Difference): boolean => {
  const field = target.type === "parameter" ? filterName.exec(target.name ?? "")?.[1] : undefined;
  if (field === undefined) return false;
  const resource = subjects.get(target.operation ?? "");
  return change.effects.some(
    (effect) =>
      effect.on === "member" && effect.resource === resource && (effect.older === field || effect.newer === field),
  );
};

/**
 * Whether a difference is one of the names in `fields` or `sort`. The entries of the members
 * already cover these.
 */
const isOfNames = (change: VersionChange, { target, what }: Difference): boolean =>
  target.type === "parameter" &&
  what === "enum" &&
  /^(fields(\[.*)?|sort)$/.test(target.name ?? "") &&
  change.effects.some(({ on }) => on === "member");

/** A change as entries, and the differences that it does not explain. */
export const entriesOf = (
  change: VersionChange,
  version: Pick<VersionDefinition, "id" | "released">,
  differences: readonly Difference[],
  subjects: Subjects = new Map(),
): { readonly entries: readonly ChangeLogEntry[]; readonly unexplained: readonly Unexplained[] } => {
  let groups = withoutInner(
    grouped(
      differences.filter((difference) => !isFilterOf(change, subjects, difference) && !isOfNames(change, difference)),
    ),
  );
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
  const isNew = (name: string): ChangeLogEntry =>
    base(`-${name}-added`, {
      kind: "added",
      breaking: false,
      target: { type: "field", name, operations: [] },
      from: null,
      to: null,
    });
  for (const { resource, older, newer, within } of renamesOf(change)) {
    const [from, to] = [`${resource}.${older}`, `${resource}.${newer}`];
    const added = groups.find(({ first }) => first.kind === "added" && nameOf(first) === to)?.first.to;
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
    if (within === undefined) continue;
    const others = [...propertiesOf(isObject(added) ? added : {}).keys()].filter((member) => member !== within);
    entries.push(...others.map((member) => isNew(`${to}.${member}`)));
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
        from: first.kind === "added" ? null : sideOf(first, first.from),
        to: first.kind === "removed" ? null : sideOf(first, first.to),
      }),
    );
  }
  if (change.effects.some(({ on }) => on === "lists")) {
    entries.push(...Object.keys(pageFacts.shape).map((member) => isNew(`page.${member}`)));
  }
  return { entries: entries.map((entry, index) => (index === 0 ? entry : withOwnTitle(entry))), unexplained };
};

const said: Readonly<Record<ChangeLogEntry["kind"], string>> = {
  added: "is new",
  renamed: "has another name",
  removed: "is gone",
  deprecated: "is deprecated",
  changed: "is another",
  fixed: "is corrected",
};

/**
 * Each change gets one entry. Other differences that it causes get entries under their own names.
 */
const withOwnTitle = (entry: ChangeLogEntry): ChangeLogEntry => ({
  ...entry,
  title: `\`${entry.kind === "renamed" ? entry.from : entry.target.name}\` ${said[entry.kind]}`,
});

/**
 * One side of a difference, as the log shows it; a parameter that was added or removed is shown by
 * its name.
 */
const sideOf = (difference: Difference, value: unknown): string | null => {
  if (value === undefined && difference.target.type === "parameter") return nameOf(difference);
  return value === undefined || typeof value === "object" ? null : String(value);
};

/**
 * Whether something of the same form appeared in the same place. It may be the same thing under
 * another name.
 */
const isTwin = (removed: Difference, added: Difference): boolean =>
  added.kind === "added" &&
  added.target.type === removed.target.type &&
  added.target.location === removed.target.location &&
  added.target.resource === removed.target.resource &&
  formOf(added.to) === formOf(removed.from);

const formOf = (schema: unknown): string => {
  const { description: _text, examples: _examples, ...form } = isObject(schema) ? schema : {};
  return JSON.stringify(form);
};

interface Stage {
  readonly change: VersionDefinition["changes"][number];
  readonly version: Omit<VersionDefinition, "changes">;
  readonly differences: readonly Difference[];
}

/** Applies the changes one at a time, so that each difference belongs to one change. */
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
    const differences = yield* differenceSteps(documents[index] ?? {}, documents[index + 1] ?? {});
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
  const { id, target, announced, sunset, reason, migration } = deprecation;
  const field = "resource" in target ? `${target.resource}.${target.field}` : undefined;
  const name = field ?? ("operation" in target ? target.parameter : undefined) ?? target.version;
  return {
    id: `deprecated-${id}`,
    date: announced,
    api_version: target.version,
    kind: "deprecated",
    breaking: false,
    title: `${targetText(target)} is deprecated, and goes away after ${sunset}`,
    target: { type: kindOfTarget(target), name, operations: "operation" in target ? [target.operation] : [] },
    from: targetText(target),
    to: replacementText(deprecation),
    description: reason,
    migration,
    deprecation_id: id,
  };
};

const subjectName = (operation: Operation): string | undefined => {
  const answer = answerOf(operation);
  return answer && resourceOf(subjectOf(answer).schema);
};

interface ChangeLogSources {
  readonly definitions: readonly VersionDefinition[];
  readonly versions: readonly ApiVersion[];
  readonly deprecations: readonly Deprecation[];
  readonly corrections: readonly Correction[];
  readonly resources: readonly Resource[];
}

/**
 * Makes the change log step by step, from the differences between the versions, the records of
 * their changes, and the registries.
 */
export function* changeLogSteps(sources: ChangeLogSources): Steps<ChangeLog> {
  const { definitions, versions, deprecations, corrections, resources } = sources;
  const live = new Set<string>(versions.map(({ id }) => id));
  const stages = yield* stageSteps(definitions, newestOf(versions), resources);
  const subjects = new Map(newestOf(versions).operations.map((operation) => [operation.id, subjectName(operation)]));
  const told = stages.map(({ change, version, differences }) => entriesOf(change, version, differences, subjects));
  const entries = [
    ...told.flatMap((one) => one.entries),
    ...deprecations.map(deprecationEntry),
    ...corrections.flatMap(correctionEntries).filter(({ api_version }) => live.has(api_version)),
  ];
  const byDate = (left: ChangeLogEntry, right: ChangeLogEntry): number =>
    left.date < right.date ? 1 : left.date > right.date ? -1 : 0;
  return { entries: entries.toSorted(byDate), unexplained: told.flatMap((one) => one.unexplained) };
}
