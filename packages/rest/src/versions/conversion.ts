import { AppError, type Fault, type JsonSchema } from "@postern/core";
import { describeFaults, isObject } from "@postern/core/internal";
import {
  checkerOf,
  type Described,
  describeSchema,
  parameterSchemas,
  propertiesOf,
  resourceOf,
  sameJson,
  subjectOf,
} from "../json-schema/json-schema.ts";
import type { Operation, OperationAnswer } from "../operations/operation.ts";
import { patchRow } from "../resources/merge-patch.ts";
import {
  dataDown,
  dataUp,
  describedDown,
  isSaid,
  type Omitted,
  pointerDown,
  pointerTo,
  type UpContext,
  wholeRow,
} from "./convert-data.ts";
import {
  descriptionDown,
  isAboutNames,
  kindOf,
  type NamesStep,
  parameterDown,
  queryUp,
  renamedParameter,
  sortNamesThrough,
  textDown,
} from "./convert-names.ts";
import { effectsOn, type Forms, unmark, wrapsLists } from "./effects.ts";
import { linksDown, linksInside, type MovedPaths } from "./links.ts";
import type { VersionChange } from "./version.ts";

type Members = Readonly<Record<string, unknown>>;

/** The parts of a request that depend on its version. */
export interface VersionedInput {
  readonly query: ReadonlyMap<string, string>;
  readonly body: unknown;
}

/** A request after its conversion. */
export interface Converted extends VersionedInput {
  /**
   * True if the body changes a row and can be checked only together with it: `applyTo` returns the
   * whole row.
   */
  readonly needsRow: boolean;
  /**
   * The row that results from the older version's body, in the newest version's form: PATCH merges
   * the body into the row, PUT replaces the row by it. Parts of the row that the older version
   * cannot express stay as they are.
   */
  readonly applyTo: (current: Members) => unknown;
  /**
   * The faults of a body, in the newest version's names, that a client of the older version can
   * correct. The other faults concern members that the older version cannot name: `applyTo` takes
   * these from the row.
   */
  readonly faultsOfCaller: (faults: readonly Fault[]) => readonly Fault[];
  /**
   * The answer in the older version's form. @throws TypeError if it does not satisfy that version's
   * schema.
   */
  readonly answerDown: (answer: OperationAnswer) => OperationAnswer;
}

/**
 * Converts one operation between an older version and the newest: everything that the changes in
 * between mean for it.
 */
export interface Conversion {
  /** The bodies of answer and request, as the older version describes them. */
  readonly answer: Described | undefined;
  readonly body: Described | undefined;
  /** @throws AppError in the older version's names. */
  up(input: VersionedInput): Converted;
  /** An error, in the older version's names. */
  errorDown(error: AppError): AppError;
  /**
   * The older version's name of a query parameter; `undefined` if that version does not have it.
   */
  parameterDown(name: string): string | undefined;
  /**
   * The older version's names that lists can be sorted by, without those that it cannot sort by.
   */
  sortNamesDown(names: readonly string[]): readonly string[];
  /** A description, with its names in quotes replaced by the older version's names. */
  textDown(text: string): string;
}

interface Step extends NamesStep {
  readonly body: Forms | undefined;
  readonly answerDown: ReturnType<typeof dataDown>;
  readonly bodyUp: ReturnType<typeof dataUp>;
  readonly paths: MovedPaths;
}

const described = (schema: Operation["body"], io: "input" | "output"): Described | undefined =>
  schema === undefined || schema === "raw" ? undefined : describeSchema(schema, io);

/** The answer's schema in the newest version. */
export const answerOf = ({ success }: Operation): Described | undefined => described(success.body, "output");
export const bodyOf = ({ body }: Operation): Described | undefined => described(body, "input");

const stepsOf = (newest: Operation, undo: readonly VersionChange[]): readonly Step[] => {
  let answer = answerOf(newest);
  let body = bodyOf(newest);
  return undo.map((change): Step => {
    const olderAnswer = answer && describedDown(answer, change);
    const olderBody = body && describedDown(body, change);
    const step: Step = {
      change,
      own: answer === undefined ? [] : effectsOn(change, subjectOf(answer).schema),
      answer: answer && olderAnswer && { newer: answer, older: olderAnswer },
      body: body && olderBody && { newer: body, older: olderBody },
      answerDown: answer && dataDown(answer, change),
      bodyUp: olderBody && dataUp(olderBody, change),
      paths: change.effects.flatMap((effect) => (effect.on === "operations" ? (effect.path ?? []) : [])),
    };
    answer = olderAnswer;
    body = olderBody;
    return step;
  });
};

/**
 * Makes the conversion of an operation for a version. `undo` lists the changes to undo, newest
 * first.
 */
export const conversionOf = (newest: Operation, undo: readonly VersionChange[]): Conversion => {
  const steps = stepsOf(newest, undo);
  const oldest = steps.at(-1);
  const answer = oldest === undefined ? answerOf(newest) : oldest.answer?.older;
  const body = oldest === undefined ? bodyOf(newest) : oldest.body?.older;
  const parameters = parameterSchemas(newest.query);
  const oldestFirst = steps.toReversed();
  const answerDown = answersDown(newest, steps, answer);
  const nothingAsked = queryUp(oldestFirst, parameters, new Map());
  const writesRow = isRowWrite(newest, body);
  const nests = nestsOf(newest, steps);
  // What a PATCH of the application's own takes is its body, and no row that is merged.
  const patchesRow = newest.method === "PATCH" && newest.own === undefined;

  return {
    answer,
    body,
    up: ({ query: asked, body: given }) => {
      const { query, selection } = asked.size === 0 ? nothingAsked : queryUp(oldestFirst, parameters, asked);
      const patches = patchesRow && isObject(given);
      // A patch is merged in the older version, and then the whole row is converted: half of a
      // replaced value cannot be converted by itself.
      if (patchesRow) checkNames(body, given);
      return {
        query,
        body:
          given === undefined
            ? undefined
            : patches
              ? {}
              : newest.method === "POST"
                ? withDefaults(nests, bodyUp(steps, given))
                : bodyUp(steps, given),
        needsRow: writesRow,
        applyTo: (current) => {
          const shown = rowDown(steps, current);
          if (!isObject(shown) || !isObject(given)) return bodyUp(steps, given);
          const whole = bodyUp(steps, newest.method === "PATCH" ? patchRow(body, shown, given) : given);
          // A PUT that makes a row has no members to keep.
          const added = nests.filter(({ path: [name] }) => !Object.hasOwn(current, name));
          return withDefaults(added, withUnsaid(whole, bodyUp(steps, shown), current));
        },
        faultsOfCaller: (faults) =>
          faults.filter((fault) => !("pointer" in fault) || isSaidByOldest(steps, fault.pointer)),
        answerDown: (newer) => answerDown(newer, selection),
      };
    },
    errorDown: (error) => errorDownFrom(steps, parameters, error),
    parameterDown: (name) =>
      steps.reduce<string | undefined>((older, step) => older && parameterDown(step, older), name),
    textDown: (text) => steps.reduce((older, step) => descriptionDown(step, older), text),
    sortNamesDown: (names) => steps.reduce(sortNamesThrough, names),
  };
};

/**
 * A member of the newest body that contains the older version's value: the path to that value, and
 * the member's default.
 */
interface Nest {
  readonly path: readonly [string, ...string[]];
  readonly whole: unknown;
}

const nestsOf = (newest: Operation, steps: readonly Step[]): readonly Nest[] => {
  const body = bodyOf(newest);
  if (body === undefined) return [];
  const members = propertiesOf(subjectOf(body).schema);
  return steps.flatMap((step, index) =>
    ownEffects(step).flatMap(({ newer, within }): Nest[] => {
      if (newer === undefined || within === undefined) return [];
      const path = steps.slice(0, index).reduceRight<Nest["path"]>(pathUp, [newer, within]);
      const whole = members.get(path[0])?.default;
      return whole === undefined ? [] : [{ path, whole }];
    }),
  );
};

const ownEffects = ({ body, change }: Step) =>
  body === undefined ? [] : effectsOn(change, subjectOf(body.newer).schema);

const pathUp = ([first, ...rest]: Nest["path"], step: Step): Nest["path"] => {
  const effect = ownEffects(step).find(({ older }) => older === first);
  if (effect?.newer === undefined) return [first, ...rest];
  return effect.within === undefined ? [effect.newer, ...rest] : [effect.newer, effect.within, ...rest];
};

/**
 * The body of a new row. If the older version sent a value that is nested now, the members beside
 * the value get their defaults, because that version cannot name them.
 */
const withDefaults = (nests: readonly Nest[], body: unknown): unknown => {
  if (!isObject(body) || nests.length === 0) return body;
  const filled = nests
    .filter(({ path: [name] }) => isObject(body[name]))
    .map(({ path: [name, ...inside], whole }) => [name, filledAlong(inside, body[name], whole)]);
  return { ...body, ...Object.fromEntries(filled) };
};

const filledAlong = ([name, ...inside]: readonly string[], given: unknown, whole: unknown): unknown => {
  if (name === undefined || !isObject(given) || !isObject(whole)) return given;
  return { ...whole, ...given, [name]: filledAlong(inside, given[name], whole[name]) };
};

/** Whether an operation changes a row by a body that describes the row. */
const isRowWrite = ({ method, own }: Operation, body: Described | undefined): boolean =>
  own === undefined &&
  (method === "PUT" || method === "PATCH") &&
  body !== undefined &&
  resourceOf(subjectOf(body).schema) !== undefined;

/**
 * @throws AppError `validation_failed`, in the older version's names, for a value that the older
 *   schema does not accept.
 */
const bodyUp = (steps: readonly Step[], value: unknown): unknown =>
  steps.reduceRight<unknown>((given, { bodyUp: convert }, index) => {
    if (convert === undefined) return given;
    const faults: UpContext = [];
    const newer = convert(given, faults);
    if (faults.length === 0) return newer;
    const error = new AppError("validation_failed", { detail: describeFaults(faults), faults });
    throw inOlderNames(errorDownFrom(steps.slice(index + 1), new Map(), error));
  }, value);

const rowDown = (steps: readonly Step[], row: unknown): unknown =>
  steps.reduce<unknown>((value, { answerDown }) => (answerDown ? answerDown(value, wholeRow) : value), row);

const isSaidByOldest = (steps: readonly Step[], pointer: string): boolean => {
  let current = pointer;
  return steps.every(({ body, change }) => {
    if (body === undefined) return true;
    const said = isSaid(body.newer, change, current);
    current = pointerDown(body.newer, change, current);
    return said;
  });
};

/**
 * Converts answers of an operation to the older version: links, the total of a bare list, members,
 * and a check of the whole.
 */
const answersDown = (newest: Operation, steps: readonly Step[], answer: Described | undefined) => {
  const conversions = steps.flatMap(({ answerDown }) => answerDown ?? []);
  const unwraps = steps.some(({ change }) => wrapsLists(change));
  const moved = steps.map(({ paths }) => paths).filter((paths) => paths.length > 0);
  const newestAnswer = answerOf(newest);
  const links = newestAnswer && linksInside(newestAnswer, moved);
  let check: ReturnType<typeof checkerOf> | undefined;

  return (newer: OperationAnswer, omitted: Omitted): OperationAnswer => {
    const linked = newer.headers === undefined || moved.length === 0 ? newer.headers : linksDown(newer.headers, moved);
    const headers = unwraps && newest.list === true ? withTotal(linked, newer.body) : linked;
    const told = { ...newer, ...(headers === undefined ? {} : { headers }) };
    if (newer.body === undefined) return told;
    let body = links === undefined ? newer.body : links(newer.body, undefined);
    for (const convert of conversions) body = convert(body, { omitted, inside: false });
    if (conversions.length > 0 && answer !== undefined) {
      check ??= checkerOf(answer);
      const { error } = check.safeParse(body);
      if (error !== undefined) {
        const places = error.issues.map(({ path, code }) => `${path.join(".")}: ${code}`);
        throw new TypeError(`the converted answer of ${newest.id} does not satisfy its schema: ${places.join("; ")}`);
      }
    }
    const { shown } = newer;
    if (shown === undefined || (omitted.root?.size ?? 0) === 0) return { ...told, body };
    // The caller left out a member that only this version has: a different representation.
    const without = [...(omitted.root ?? [])].map(({ older }) => older);
    return { ...told, body, shown: { ...shown, without } };
  };
};

/**
 * `after` is what the caller wants, in the newest form. `before` is `current`, converted to the
 * older form and back. Parts in which the two are equal were not changed by the caller. They stay
 * as they are stored, including what the conversion lost. Parts that were never converted stay,
 * too.
 */
const withUnsaid = (after: unknown, before: unknown, current: unknown): unknown => {
  if (sameJson(after, before)) return current;
  if (!isObject(after) || !isObject(before) || !isObject(current)) return after;
  const said = Object.entries(after).map(([name, value]) => [
    name,
    Object.hasOwn(current, name) ? withUnsaid(value, before[name], current[name]) : value,
  ]);
  const unsaid = Object.entries(current).filter(
    ([name]) => !Object.hasOwn(before, name) && !Object.hasOwn(after, name),
  );
  return Object.fromEntries([...unsaid, ...said]);
};

/** @throws AppError `unknown_field` for members that the version's body does not have. */
const checkNames = (body: Described | undefined, given: unknown): void => {
  if (body === undefined || !isObject(given)) return;
  const { schema } = subjectOf(body);
  const known = isObject(schema.properties) ? schema.properties : {};
  const faults = Object.keys(given)
    .filter((name) => !Object.hasOwn(known, name))
    .map(
      (name): Fault => ({
        pointer: pointerTo([name]),
        code: "unknown_field",
        detail: "no such field",
      }),
    );
  if (faults.length > 0) throw inOlderNames(new AppError("unknown_field", { detail: describeFaults(faults), faults }));
};

/** Errors about the older version's body itself. Their names need no conversion. */
const toldAlready = new WeakSet<AppError>();

const inOlderNames = (error: AppError): AppError => {
  toldAlready.add(error);
  return error;
};

type Parameters = ReadonlyMap<string, JsonSchema>;

const errorDownFrom = (steps: readonly Step[], parameters: Parameters, error: AppError): AppError => {
  if (error.faults.length === 0 || toldAlready.has(error)) return error;
  const { faults, detail } = steps.reduce((older, step) => errorThrough(older, step, parameters), error);
  const told = faults.map((fault): Fault => {
    const shown = { ...fault, detail: unmark(fault.detail) };
    if ("pointer" in shown) return { ...shown, pointer: unmark(shown.pointer) };
    return "parameter" in shown ? { ...shown, parameter: unmark(shown.parameter) } : shown;
  });
  return error.with({ faults: told, ...(detail === undefined ? {} : { detail: unmark(detail) }) });
};

const errorThrough = (error: AppError, step: Step, parameters: Parameters): AppError => {
  const { body, change, own } = step;
  const kindIn = (fault: Fault) => ("parameter" in fault ? kindOf(parameters, fault.parameter) : undefined);
  const kinds = new Set(error.faults.map(kindIn));
  const faults = error.faults.map((fault): Fault => {
    const detail = isAboutNames(fault.code) ? textDown(step, fault.detail, kindIn(fault)) : fault.detail;
    if ("parameter" in fault) return { ...fault, detail, parameter: renamedParameter(own, fault.parameter) };
    if ("header" in fault || body === undefined) return { ...fault, detail };
    return { ...fault, detail, pointer: pointerDown(body.newer, change, fault.pointer) };
  });
  const listed = error.detail === describeFaults(error.faults);
  const [kind] = kinds.size === 1 ? kinds : [];
  return error.with({
    faults,
    ...(error.detail === undefined
      ? {}
      : { detail: listed ? describeFaults(faults) : textDown(step, error.detail, kind) }),
  });
};

/**
 * Puts the total, if the caller asked for it, into a header, because a bare list has no room for
 * it.
 */
const withTotal = (headers: OperationAnswer["headers"], body: unknown): OperationAnswer["headers"] => {
  const page = isObject(body) ? body.page : undefined;
  return isObject(page) && typeof page.total === "number"
    ? { ...headers, [totalHeader]: `${page.total}${page.total_is_minimum === true ? "+" : ""}` }
    : headers;
};

/** How many rows a bare list has; with a `+` if they were not counted to the end. */
const totalHeader = "x-total-count";
