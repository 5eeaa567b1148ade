import type { Resource } from "@postern/core";
import { isObject } from "@postern/core/internal";
import { type Deprecation, kindOfTarget, replacementText, targetText } from "../deprecations/deprecation.ts";
import { propertiesOf, resourceOf, subjectOf } from "../json-schema/json-schema.ts";
import type { Steps } from "../limits/steps.ts";
import { type OpenApiDocument, openApiSteps } from "../openapi/openapi.ts";
import type { Operation } from "../operations/operation.ts";
import { pageFacts } from "../operations/page.ts";
import { filterName } from "../operations/query-list.ts";
import { type ApiVersion, createVersions, newestOf } from "../versions/api-versions.ts";
import { answerOf } from "../versions/conversion.ts";
import { memberEffects, wrapsLists } from "../versions/effects.ts";
import type { LeavesAlone, MemberEffect, VersionChange, VersionDefinition } from "../versions/version.ts";
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

/** The same difference in one place or in several. */
type Group = [first: Difference, ...others: Difference[]];

const grouped = (differences: readonly Difference[]): readonly Group[] => {
  const groups = new Map<string, Group>();
  for (const difference of differences) {
    const known = groups.get(groupOf(difference));
    if (known === undefined) groups.set(groupOf(difference), [difference]);
    else known.push(difference);
  }
  return [...groups.values()];
};

/** If an object was added, its members need no entries of their own. */
const withoutInner = (groups: readonly Group[]): readonly Group[] =>
  groups.filter(
    ([one]) => !groups.some(([other]) => other.kind === one.kind && nameOf(one).startsWith(`${nameOf(other)}.`)),
  );

/** Which resource's rows each operation answers, by the operation's id. */
type Subjects = ReadonlyMap<string, string | undefined>;

/**
 * Whether the entries of these members also explain a difference: that of a filter whose field has
 * another name or another form, or of the names in `fields` or `sort`.
 */
const isOfMembers = (members: readonly MemberEffect[], subjects: Subjects, { target, what }: Difference): boolean => {
  const { type, name = "", operation = "" } = target;
  if (type !== "parameter" || members.length === 0) return false;
  if (what === "enum" && /^(fields(\[.*)?|sort)$/.test(name)) return true;
  const field = filterName.exec(name)?.[1];
  const resource = subjects.get(operation);
  return members.some((one) => one.resource === resource && (one.older === field || one.newer === field));
};

/** A change as entries, and the differences that it does not explain. */
export const entriesOf = (
  change: VersionChange,
  version: Pick<VersionDefinition, "id" | "released">,
  differences: readonly Difference[],
  subjects: Subjects = new Map(),
): { readonly entries: readonly ChangeLogEntry[]; readonly unexplained: readonly Unexplained[] } => {
  const members = memberEffects(change);
  let groups = withoutInner(grouped(differences.filter((one) => !isOfMembers(members, subjects, one))));
  const base = (
    id: string,
    {
      kind,
      breaking = false,
      target,
      from = null,
      to = null,
    }: Pick<ChangeLogEntry, "kind" | "target"> & Partial<ChangeLogEntry>,
  ): ChangeLogEntry => ({
    id: `${version.id}-${change.id}${id}`,
    date: version.released,
    api_version: version.id,
    title: change.title,
    description: change.why,
    migration: change.migration,
    deprecation_id: null,
    kind,
    breaking,
    target,
    from,
    to,
  });
  const entries: ChangeLogEntry[] = [];
  const isNew = (name: string): ChangeLogEntry =>
    base(`-${name}-added`, { kind: "added", target: { type: "field", name, operations: [] } });
  for (const { resource, older, newer, within } of members) {
    // Only a member that has another name.
    if (newer === undefined || newer === older) continue;
    const [from, to] = [`${resource}.${older}`, `${resource}.${newer}`];
    const added = groups.find(([one]) => one.kind === "added" && nameOf(one) === to)?.[0].to;
    groups = groups.filter(([one]) => nameOf(one) !== from && nameOf(one) !== to);
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
  for (const all of groups) {
    const [first] = all;
    const [twin] = first.kind === "removed" ? (groups.find(([other]) => isTwin(first, other)) ?? []) : [];
    if (twin !== undefined) unexplained.push({ change: change.id, removed: nameOf(first), added: nameOf(twin) });
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
  if (wrapsLists(change)) {
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
function* stageSteps({
  definitions,
  pending,
  current,
  leavesAlone,
  resources,
}: ChangeLogSources): Steps<readonly Stage[]> {
  const made = definitions.flatMap(({ changes, ...version }) => changes.map((change) => ({ change, version })));
  const stages = createVersions(
    [
      { id: "v1", released: "2000-01-01", changes: [] },
      ...made.map(
        ({ change }, index): VersionDefinition => ({ id: `v${index + 2}`, released: "2000-01-01", changes: [change] }),
      ),
      { id: `v${made.length + 2}`, released: "2000-01-01", changes: pending },
    ],
    current.operations,
    leavesAlone,
  ).slice(0, -1);
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
  /** The operations as they read and answer now. */
  readonly current: ApiVersion;
  /** What the newest version does not have yet. */
  readonly pending: readonly VersionChange[];
  readonly leavesAlone?: LeavesAlone | undefined;
  readonly deprecations: readonly Deprecation[];
  readonly corrections: readonly Correction[];
  readonly resources: readonly Resource[];
}

/**
 * Makes the change log step by step, from the differences between the versions, the records of
 * their changes, and the registries.
 */
export function* changeLogSteps(sources: ChangeLogSources): Steps<ChangeLog> {
  const { versions, deprecations, corrections } = sources;
  const live = new Set<string>(versions.map(({ id }) => id));
  const stages = yield* stageSteps(sources);
  const subjects = new Map(newestOf(versions).operations.map((operation) => [operation.id, subjectName(operation)]));
  const operations = new Set(newestOf(versions).operations.map(({ id }) => id));
  // An application need not have every part that a correction is about.
  const isHere = ({ target, api_version }: ChangeLogEntry): boolean =>
    live.has(api_version) && (target.operations.length === 0 || target.operations.some((id) => operations.has(id)));
  const told = stages.map(({ change, version, differences }) => entriesOf(change, version, differences, subjects));
  const entries = [
    ...told.flatMap((one) => one.entries),
    ...deprecations.map(deprecationEntry),
    ...corrections.flatMap(correctionEntries).filter(isHere),
  ];
  const byDate = (left: ChangeLogEntry, right: ChangeLogEntry): number =>
    left.date < right.date ? 1 : left.date > right.date ? -1 : 0;
  return { entries: entries.toSorted(byDate), unexplained: told.flatMap((one) => one.unexplained) };
}
