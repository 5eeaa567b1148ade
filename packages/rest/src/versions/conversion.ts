import { AppError, type Fault } from "@postern/core";
import { describeFaults, isObject } from "@postern/core/parts";
import { checkerOf, type Described, describeSchema, propertiesOf } from "../json-schema/json-schema.ts";
import type { Operation, OperationAnswer } from "../operations/operation.ts";
import { mergePatch } from "../resources/merge-patch.ts";
import { dataDown, dataUp, describedDown, pointerDown, type UpContext } from "./convert-data.ts";
import { omittedBy, parameterDown, queryUp, subjectOf, textDown } from "./convert-names.ts";
import { type DataEffects, dataEffectsOf, unmark } from "./effects.ts";
import type { MemberEffect, OperationEffect, VersionChange } from "./version.ts";

type Members = Readonly<Record<string, unknown>>;

/** What the versions seam may change of a request before core sees it. */
interface VersionedInput {
  readonly query: ReadonlyMap<string, string>;
  readonly body: unknown;
}

/** One request on its way through a conversion. */
export interface Converted extends VersionedInput {
  /**
   * What the older version's body makes of a row, in the newest version's form: PATCH merges it into the row, PUT puts it in the row's place. What the
   * older version cannot say of the row stays as it is.
   */
  readonly applyTo: (current: Members) => unknown;
  /** The answer as the older version gives it. @throws TypeError when it does not satisfy that version's schema. */
  readonly answerDown: (answer: OperationAnswer) => OperationAnswer;
}

/** An operation between an older version and the newest: everything that the changes in between mean for it. */
export interface Conversion {
  /** The answer's body and the request's body as the older version describes them. */
  readonly answer: Described | undefined;
  readonly body: Described | undefined;
  /** @throws AppError in the older version's names. */
  up(input: VersionedInput): Converted;
  /** An error in the older version's names. */
  errorDown(error: AppError): AppError;
  /** The name of a query parameter, and a text about it, as the older version has them. */
  parameterDown(name: string): string;
  textDown(text: string): string;
}

/** One change, for one operation. */
interface Step {
  readonly effects: DataEffects;
  readonly answer: { readonly newer: Described; readonly older: Described } | undefined;
  readonly body: { readonly newer: Described; readonly older: Described } | undefined;
  readonly answerDown: ReturnType<typeof dataDown>;
  readonly bodyUp: ReturnType<typeof dataUp>;
  readonly paths: readonly NonNullable<OperationEffect["path"]>[];
}

const described = (schema: Operation["body"], io: "input" | "output"): Described | undefined =>
  schema === undefined || schema === "raw" ? undefined : describeSchema(schema, io);

/** What is described for the newest version itself. */
export const answerOf = ({ success }: Operation): Described | undefined => described(success.body, "output");
export const bodyOf = ({ body }: Operation): Described | undefined => described(body, "input");

const stepsOf = (newest: Operation, undo: readonly VersionChange[]): readonly Step[] => {
  let answer = answerOf(newest);
  let body = bodyOf(newest);
  return undo.map((change): Step => {
    const effects = dataEffectsOf(change);
    const olderAnswer = answer && describedDown(answer, effects);
    const olderBody = body && describedDown(body, effects);
    const step: Step = {
      effects,
      answer: answer && olderAnswer && { newer: answer, older: olderAnswer },
      body: body && olderBody && { newer: body, older: olderBody },
      answerDown: answer && dataDown(answer, effects),
      bodyUp: olderBody && dataUp(olderBody, effects),
      paths: change.effects.flatMap((effect) => (effect.on === "operations" ? (effect.path ?? []) : [])),
    };
    answer = olderAnswer;
    body = olderBody;
    return step;
  });
};

/** Makes the conversion of an operation for a version that has `undo` to be undone, newest change first. */
export const conversionOf = (newest: Operation, undo: readonly VersionChange[]): Conversion => {
  const steps = stepsOf(newest, undo);
  const oldest = steps.at(-1);
  const answer = oldest === undefined ? answerOf(newest) : oldest.answer?.older;
  const body = oldest === undefined ? bodyOf(newest) : oldest.body?.older;
  const converted = steps.some(({ answerDown }) => answerDown !== undefined);
  const parameters =
    newest.query === undefined ? new Map() : propertiesOf(describeSchema(newest.query, "input").schema);
  const unwraps = steps.some(({ effects }) => effects.lists);
  const patches = newest.method === "PATCH";
  let check: ReturnType<typeof checkerOf> | undefined;

  const satisfying = (value: unknown): unknown => {
    if (!converted || answer === undefined) return value;
    check ??= checkerOf(answer);
    const { error } = check.safeParse(value);
    if (error === undefined) return value;
    const places = error.issues.map(({ path, code }) => `${path.join(".")}: ${code}`);
    throw new TypeError(`the converted answer of ${newest.id} does not satisfy its schema: ${places.join("; ")}`);
  };

  const bodyUp = (value: unknown): unknown =>
    steps.reduceRight<unknown>((given, { bodyUp: convert }, index) => {
      if (convert === undefined) return given;
      const context: UpContext = { faults: [] };
      const newer = convert(given, context);
      if (context.faults.length === 0) return newer;
      const error = new AppError("validation_failed", {
        detail: describeFaults(context.faults),
        faults: context.faults,
      });
      throw inOlderNames(errorDownFrom(steps.slice(index + 1), error));
    }, value);

  const rowDown = (row: unknown): unknown =>
    steps.reduce<unknown>((value, { answerDown }) => {
      return answerDown === undefined ? value : answerDown(value, { omitted: new Set() });
    }, row);

  const applyTo = (given: unknown, current: Members): unknown => {
    const shown = rowDown(current);
    if (!isObject(shown) || !isObject(given)) return bodyUp(given);
    return withUnsaid(bodyUp(patches ? mergePatch(shown, given) : given), bodyUp(shown), current);
  };

  return {
    answer,
    body,
    up: (input) => {
      const omitted = new Set<MemberEffect>();
      let { query } = input;
      for (const { answer: schemas, effects } of steps.toReversed()) {
        if (schemas === undefined) continue;
        for (const effect of omittedBy(schemas.older, effects, query)) omitted.add(effect);
        query = queryUp({ answer: schemas.older, parameters }, effects, query);
      }
      // A patch is merged in the older version, then the whole is converted: half of a replaced value says nothing by itself.
      if (patches) checkNames(body, input.body);
      return {
        query,
        body: patches && isObject(input.body) ? {} : bodyUp(input.body),
        applyTo: (current) => applyTo(input.body, current),
        answerDown: (newer) => {
          const linked = steps.reduce((older, { paths }) => linksDown(older, paths), newer.headers);
          const headers = unwraps && newest.list === true ? withTotal(linked, newer.body) : linked;
          if (newer.body === undefined) return headers === undefined ? newer : { ...newer, headers };
          const value = steps.reduce<unknown>(
            (older, { answerDown }) => (answerDown === undefined ? older : answerDown(older, { omitted })),
            newer.body,
          );
          return { ...newer, ...(headers === undefined ? {} : { headers }), body: satisfying(value) };
        },
      };
    },
    errorDown: (error) => errorDownFrom(steps, error),
    parameterDown: (name) =>
      steps.reduce(
        (older, { answer: schemas, effects }) =>
          schemas === undefined ? older : parameterDown(schemas.newer, effects, older),
        name,
      ),
    textDown: (text) => steps.reduce((older, step) => textOf(step, older), text),
  };
};

/**
 * `after` is what the caller means, in the newest form; `before` is `current` on the way to the older form and back. What is the same in both the caller
 * left as they read it, and it stays as it is stored, also what was lost on the way; so does what never made the way.
 */
const withUnsaid = (after: unknown, before: unknown, current: unknown): unknown => {
  if (same(after, before)) return current;
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

const same = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

const textOf = ({ answer, effects }: Step, text: string): string =>
  answer === undefined ? text : textDown(answer.newer, effects, text);

/** @throws AppError `unknown_field` for members that the version's body does not have. */
const checkNames = (body: Described | undefined, given: unknown): void => {
  if (body === undefined || !isObject(given)) return;
  const { schema } = subjectOf(body);
  const known = isObject(schema.properties) ? schema.properties : {};
  const faults = Object.keys(given)
    .filter((name) => !Object.hasOwn(known, name))
    .map(
      (name): Fault => ({
        pointer: `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`,
        code: "unknown_field",
        detail: "no such field",
      }),
    );
  if (faults.length > 0) throw inOlderNames(new AppError("unknown_field", { detail: describeFaults(faults), faults }));
};

/** Errors that are about the older version's body itself: nothing in them needs another name. */
const toldAlready = new WeakSet<AppError>();

const inOlderNames = (error: AppError): AppError => {
  toldAlready.add(error);
  return error;
};

const errorDownFrom = (steps: readonly Step[], error: AppError): AppError => {
  if (error.faults.length === 0 || toldAlready.has(error)) return error;
  const { faults, detail } = steps.reduce(errorThrough, error);
  const told = faults.map((fault): Fault => {
    const shown = { ...fault, detail: unmark(fault.detail) };
    if ("pointer" in shown) return { ...shown, pointer: unmark(shown.pointer) };
    return "parameter" in shown ? { ...shown, parameter: unmark(shown.parameter) } : shown;
  });
  return error.with({ faults: told, ...(detail === undefined ? {} : { detail: unmark(detail) }) });
};

const errorThrough = (error: AppError, step: Step): AppError => {
  const faults = error.faults.map((fault): Fault => {
    const detail = textOf(step, fault.detail);
    if ("pointer" in fault) {
      const pointer =
        step.body === undefined ? fault.pointer : pointerDown(step.body.newer, step.effects, fault.pointer);
      return { ...fault, detail, pointer };
    }
    if ("header" in fault || step.answer === undefined) return { ...fault, detail };
    return { ...fault, detail, parameter: parameterDown(step.answer.newer, step.effects, fault.parameter) };
  });
  const listed = error.detail === describeFaults(error.faults);
  return error.with({
    faults,
    ...(error.detail === undefined ? {} : { detail: listed ? describeFaults(faults) : textOf(step, error.detail) }),
  });
};

/** Headers that say where something is. */
const linking = ["location", "content-location"];

/** What a bare list has no room for, and a caller asked for, stands in a header. */
const withTotal = (headers: OperationAnswer["headers"], body: unknown): OperationAnswer["headers"] => {
  const page = isObject(body) ? body.page : undefined;
  return isObject(page) && typeof page.total === "number"
    ? { ...headers, [totalHeader]: `${page.total}${page.total_is_minimum === true ? "+" : ""}` }
    : headers;
};

/** How many rows a bare list has; with a `+` where they were not counted to the end. */
const totalHeader = "x-total-count";

const linksDown = (headers: OperationAnswer["headers"], paths: Step["paths"]): OperationAnswer["headers"] => {
  if (headers === undefined || paths.length === 0) return headers;
  const moved = linking.flatMap((name) => {
    const target = headers[name];
    return target === undefined ? [] : [[name, paths.reduce(pathDown, target)]];
  });
  return { ...headers, ...Object.fromEntries(moved) };
};

/** Behind the base, whichever it is, a path that fits the newer template becomes one of the older. */
const pathDown = (target: string, { older, newer }: NonNullable<OperationEffect["path"]>): string => {
  const names = [...newer.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
  const pattern = new RegExp(`^(/api(?:/v\\d+)?)${newer.replaceAll(/\{\w+\}/g, "([^/?]+)")}(?=$|\\?)`);
  return target.replace(pattern, (_all, base: string, ...values: string[]) => {
    const path = names.reduce((filled, name, index) => filled.replace(`{${name}}`, values[index] ?? ""), older);
    return `${base}${path}`;
  });
};
