import type { JsonSchema } from "@postern/core";
import { didYouMean } from "@postern/core/internal";
import {
  checkerOf,
  type Described,
  isNullable,
  mapSchema,
  propertiesOf,
  resolved,
  resourceOf,
} from "../json-schema/json-schema.ts";
import type { Operation } from "../operations/operation.ts";
import { answerOf, bodyOf } from "./conversion.ts";
import { memberEffects, operationEffects, wrapsLists } from "./effects.ts";
import type { MemberEffect, OperationEffect, VersionChange, VersionDefinition } from "./version.ts";

type Components = Described["components"];

/** A member of a resource, as some answer or body of a version describes it. */
interface Member {
  readonly schema: JsonSchema;
  readonly components: Components;
}

/** The parts of a version that a change can refer to. */
interface Stage {
  /** The members of each resource, by the resource's name. */
  readonly members: ReadonlyMap<string, ReadonlyMap<string, Member>>;
  readonly operations: readonly Pick<Operation, "id" | "method" | "path">[];
  /** Whether lists are objects with `data` and `page`. */
  readonly wrapped: boolean;
}

type Known = Map<string, Map<string, Member>>;

/**
 * Notes the members of every row that a schema describes. Members that are already known stay,
 * because answers say more about a member than bodies do.
 */
const noteMembers = (known: Known, { schema, components }: Described): void => {
  const note = (part: JsonSchema): JsonSchema => {
    const resource = resourceOf(part);
    if (resource === undefined) return part;
    const members = known.get(resource) ?? new Map<string, Member>();
    known.set(resource, members);
    for (const [name, member] of propertiesOf(part)) {
      if (!members.has(name)) members.set(name, { schema: member, components });
    }
    return part;
  };
  for (const part of [schema, ...Object.values(components)]) mapSchema(part, note);
};

/** The newest version, with the rows of everything that operations take and answer. */
const newestStage = (operations: readonly Operation[]): Stage => {
  const members: Known = new Map();
  for (const described of [...operations.map(answerOf), ...operations.map(bodyOf)]) {
    if (described !== undefined) noteMembers(members, described);
  }
  return { members, operations, wrapped: true };
};

const hint = (name: string, known: Iterable<string>): string => {
  const names = [...known];
  return didYouMean([name], names) || (names.length === 0 ? "" : `; there are ${names.join(", ")}`);
};

/** What is wrong with the place of the older value in the newer member. */
const nestFault = ({ resource, newer = "", within = "" }: MemberEffect, member: Member): string | undefined => {
  if (isNullable(member.schema)) {
    return `"${resource}.${newer}" can be null, and "${within}" cannot be read from null; nest only into an object that is always there`;
  }
  const inside = propertiesOf(resolved(member));
  if (inside.has(within)) return undefined;
  return inside.size === 0
    ? `"${resource}.${newer}" is no object with the member "${within}"`
    : `"${resource}.${newer}" has no member "${within}"${hint(within, inside.keys())}`;
};

/** What is wrong with the older member's schema, or with the value that it always has. */
const formFault = (effect: MemberEffect, member: Member | undefined): string | undefined => {
  const { resource, older, newer } = effect;
  const components = member?.components ?? {};
  try {
    const schema = effect.schemaDown(resolved({ schema: member?.schema ?? {}, components }));
    const check = checkerOf({ schema, components });
    if (newer !== undefined) return undefined;
    const issue = check.safeParse(effect.down(undefined)).error?.issues[0];
    return issue && `the value of "${resource}.${older}" does not satisfy its schema: ${issue.message}`;
  } catch (thrown) {
    return `the schema of "${resource}.${older}" cannot be made: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  }
};

const memberFaults = (effect: MemberEffect, own: readonly MemberEffect[], { members }: Stage): readonly string[] => {
  const { resource, older, newer, within } = effect;
  const known = members.get(resource);
  if (known === undefined) return [`there is no resource "${resource}"${hint(resource, members.keys())}`];
  const faults: string[] = [];
  const member = newer === undefined ? undefined : known.get(newer);
  if (newer !== undefined && member === undefined) {
    faults.push(`"${resource}" has no member "${newer}" in the newer version${hint(newer, known.keys())}`);
  }
  if (known.has(older) && !own.some((other) => other.newer === older)) {
    faults.push(
      newer === undefined
        ? `"${resource}.${older}" is still there; remove the field from the resource, or leave removeField out`
        : `"${resource}.${older}" is a member of the newer version, too; the older name must be one that the newer version does not use`,
    );
  }
  const first = own.indexOf(effect);
  if (own.findIndex((other) => other.older === older) < first) {
    faults.push(`two effects give the older version "${resource}.${older}"; keep one`);
  }
  if (newer !== undefined && own.findIndex((other) => other.newer === newer) < first) {
    faults.push(`two effects are about "${resource}.${newer}" of the newer version; keep one`);
  }
  if (faults.length > 0) return faults;
  const fault = (member && within !== undefined ? nestFault(effect, member) : undefined) ?? formFault(effect, member);
  return fault === undefined ? [] : [fault];
};

const operationFaults = (
  effect: OperationEffect,
  own: readonly OperationEffect[],
  { operations }: Stage,
): readonly string[] => {
  const faults: string[] = [];
  const { path, restored = [] } = effect;
  if (path !== undefined) {
    const paths = new Set(operations.map((operation) => operation.path));
    if (!paths.has(path.newer)) faults.push(`there is no path ${path.newer}${didYouMean([path.newer], [...paths])}`);
    if (paths.has(path.older) && !own.some((other) => other.path?.newer === path.older)) {
      faults.push(
        `the newer version has operations at ${path.older}, too; an older path must be one that it does not use`,
      );
    }
    if (own.find((other) => other.path?.newer === path.newer) !== effect) {
      faults.push(`two effects move ${path.newer}; keep one`);
    }
  }
  for (const { id, method, path: place } of restored) {
    if (operations.some((operation) => operation.id === id)) {
      faults.push(`the newer version still has the operation "${id}"; remove it there, or leave removeEndpoint out`);
    } else if (operations.some((operation) => operation.method === method && operation.path === place)) {
      faults.push(`the newer version has another operation at ${method} ${place}`);
    }
  }
  return faults;
};

const faultsOf = (change: VersionChange, stage: Stage): readonly string[] => {
  const own = memberEffects(change);
  const onOperations = operationEffects(change);
  const lists = change.effects.filter(({ on }) => on === "lists");
  return [
    ...own.flatMap((effect) => {
      const siblings = own.filter(({ resource }) => resource === effect.resource);
      return memberFaults(effect, siblings, stage);
    }),
    ...onOperations.flatMap((effect) => operationFaults(effect, onOperations, stage)),
    ...(lists.length > (stage.wrapped ? 1 : 0) ? ["lists are wrapped once; keep one wrapLists"] : []),
  ];
};

/** The version before a change. Effects that cannot work leave it as it is. */
const olderStage = (change: VersionChange, stage: Stage): Stage => {
  const members = new Map([...stage.members].map(([resource, known]) => [resource, new Map(known)]));
  const own = memberEffects(change);
  for (const { resource, newer } of own) if (newer !== undefined) members.get(resource)?.delete(newer);
  for (const effect of own) {
    const member = stage.members.get(effect.resource)?.get(effect.newer ?? "");
    const components = member?.components ?? {};
    const known = members.get(effect.resource);
    if (known === undefined || (effect.newer !== undefined && member === undefined)) continue;
    if (formFault(effect, member) !== undefined) continue;
    known.set(effect.older, {
      schema: effect.schemaDown(resolved({ schema: member?.schema ?? {}, components })),
      components,
    });
  }
  const onOperations = operationEffects(change);
  return {
    members,
    operations: [
      ...stage.operations.map((operation) => {
        const moved = onOperations.find(({ path }) => path?.newer === operation.path)?.path;
        return moved === undefined ? operation : { ...operation, path: moved.older };
      }),
      ...onOperations.flatMap(({ restored }) => restored ?? []),
    ],
    wrapped: stage.wrapped && !wrapsLists(change),
  };
};

/**
 * The faults of changes that cannot work with the operations of the newest version. Each fault names
 * the change and says what would be right. A change is checked against the version that it made,
 * which is the newest one with all later changes undone.
 */
export const changeFaults = (
  versions: readonly VersionDefinition[],
  operations: readonly Operation[],
): readonly string[] => {
  const changes = versions.flatMap(({ id, changes: made }) => made.map((change) => ({ id, change })));
  if (changes.length === 0) return [];
  let stage = newestStage(operations);
  const faults: (readonly string[])[] = [];
  for (const { id, change } of changes.toReversed()) {
    faults.unshift(faultsOf(change, stage).map((fault) => `version ${id}, change "${change.id}": ${fault}`));
    stage = olderStage(change, stage);
  }
  return faults.flat();
};
