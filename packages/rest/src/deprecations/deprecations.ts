import { AppError, type JsonSchema, type Ports } from "@postern/core";
import { isObject } from "@postern/core/internal";
import type { DeprecatedUse } from "@postern/core/ports";
import type { Principal } from "../access/principal.ts";
import { type Described, parameterSchemas, propertiesOf, resourceOf, subjectOf } from "../json-schema/json-schema.ts";
import type { Operation, RequestFacts } from "../operations/operation.ts";
import { filterName } from "../operations/query-list.ts";
import { type ApiVersion, bodiesIn } from "../versions/api-versions.ts";
import type { VersionedInput } from "../versions/conversion.ts";
import { guided, type Step } from "../versions/walk.ts";
import { type Deprecation, kindOfTarget, startOf, targetText } from "./deprecation.ts";
import { deprecationHeaders, pageOfDeprecation } from "./deprecation-headers.ts";
import { createUseCounter } from "./use-counter.ts";

interface Watch {
  /** The version or the operation as a whole. Every answer says so. */
  readonly whole: readonly Deprecation[];
  /**
   * The fields and parameters of the operation that this request uses: it sends them, selects them,
   * or sorts or filters by them.
   */
  usedBy(given: VersionedInput): readonly Deprecation[];
  /** The fields of the operation that are part of an answer, in the version's own form. */
  sentIn(body: unknown): readonly Deprecation[];
}

/** `resource.field` for each field that a request for rows of `subject` names in its query. */
const namedIn = (
  subject: string | undefined,
  parameters: ReadonlyMap<string, JsonSchema>,
  query: VersionedInput["query"],
): readonly string[] =>
  [...query].flatMap(([name, value]) => {
    const names = value.split(",").map((one) => one.replace(/^-/, ""));
    const filtered = filterName.exec(name)?.[1];
    if (filtered !== undefined) return [`${subject}.${filtered}`];
    if (name === "sort" || name === "fields") return names.map((one) => `${subject}.${one}`);
    const kind = name.startsWith("fields[") ? resourceOf(parameters.get(name) ?? {}) : undefined;
    return kind === undefined ? [] : names.map((one) => `${kind}.${one}`);
  });

/**
 * Collects which of these fields (`resource.field`) the rows in a body have; `undefined` if they
 * can have none of them.
 */
const fieldsIn = (body: Described | undefined, deprecated: ReadonlySet<string>): Step<Set<string>> | undefined =>
  body === undefined || deprecated.size === 0
    ? undefined
    : guided<Set<string>>(body, (schema, members) => {
        const resource = resourceOf(schema);
        const own = [...propertiesOf(schema).keys()].filter((name) => deprecated.has(`${resource}.${name}`));
        if (own.length === 0 && members.size === 0) return undefined;
        return (value, found) => {
          if (!isObject(value)) return value;
          for (const name of own) if (Object.hasOwn(value, name)) found.add(`${resource}.${name}`);
          for (const [name, step] of members) if (Object.hasOwn(value, name)) step(value[name], found);
          return value;
        };
      });

/** `undefined` if nothing about the operation is deprecated. */
const watchOf = (
  version: ApiVersion,
  operation: Operation,
  deprecations: readonly Deprecation[],
): Watch | undefined => {
  if (operation.unversioned === true) return undefined;
  const concerned = deprecations.filter(({ target }) => target.version === version.id);
  const whole = concerned.filter(
    ({ target }) =>
      !("resource" in target) &&
      (!("operation" in target) || (target.operation === operation.id && target.parameter === undefined)),
  );
  const parts = concerned.filter(({ target }) => "resource" in target || "parameter" in target);
  if (whole.length === 0 && parts.length === 0) return undefined;

  const { answer, body: taken } = bodiesIn(version, operation);
  const subject = answer === undefined ? undefined : resourceOf(subjectOf(answer).schema);
  const fields = parts.flatMap((one) =>
    "resource" in one.target ? [[`${one.target.resource}.${one.target.field}`, one] as const] : [],
  );
  const names = new Set(fields.map(([name]) => name));
  const ownParameters = parts.flatMap((one) =>
    "parameter" in one.target && one.target.operation === operation.id && one.target.parameter !== undefined
      ? [[one.target.parameter, one] as const]
      : [],
  );
  const given = fieldsIn(taken, names);
  const answered = fieldsIn(answer, names);
  const parameters = parameterSchemas(operation.query);
  return {
    whole,
    sentIn: (body) => {
      const sent = new Set<string>();
      answered?.(body, sent);
      return sent.size === 0 ? [] : fields.flatMap(([name, one]) => (sent.has(name) ? [one] : []));
    },
    usedBy: ({ query, body }) => {
      const used = new Set(answer === undefined || query.size === 0 ? [] : namedIn(subject, parameters, query));
      given?.(body, used);
      const deprecations: Deprecation[] = [];
      for (const [name, one] of used.size === 0 ? [] : fields) if (used.has(name)) deprecations.push(one);
      for (const [name, one] of ownParameters) if (query.has(name)) deprecations.push(one);
      return deprecations;
    },
  };
};

type Headers = Readonly<Record<string, string>>;

/** The deprecated things that one request uses. */
export interface RequestNotice {
  /**
   * Finds what else the request uses, in addition to the operation itself, and counts all of it.
   * @throws AppError when something it uses is refused.
   */
  note(given: VersionedInput, principal: Principal | undefined): void;
  /** Counts the deprecated parts of the answer that the request did not ask for by name. */
  noteAnswer(body: unknown): void;
  /** The headers of the answer. `link` is what its `Link` header already contains. */
  headers(link: string | undefined): Headers;
}

export type Deprecations = ReturnType<typeof createDeprecations>;

const clientOf = (principal: Principal | undefined): string => {
  if (principal === undefined) return "anonymous";
  return (principal.kind === "user" ? `user:${principal.userId}` : `operator:${principal.name}`).slice(0, 64);
};

const isOfConsole = (principal: Principal | undefined): boolean =>
  principal?.kind === "user" && principal.credential.kind === "session" && principal.credential.ofConsole === true;

/** If the deprecated thing is refused now: until when. `undefined` if it is answered. */
const refusedUntil = ({ sunset, brownOuts = [] }: Deprecation, now: number): number | undefined => {
  if (now >= startOf(sunset)) return Number.POSITIVE_INFINITY;
  const brownOut = brownOuts.find(({ from, to }) => now >= Date.parse(from) && now < Date.parse(to));
  return brownOut === undefined ? undefined : Date.parse(brownOut.to);
};

const refusal = (deprecation: Deprecation, until: number, now: number, headers: Headers): AppError => {
  const { target, replacement, id, sunset, migration } = deprecation;
  const codes = { version: "version_retired", endpoint: "endpoint_removed" } as const;
  const kind = kindOfTarget(target);
  const code = kind === "field" || kind === "parameter" ? "feature_removed" : codes[kind];
  const ended = Number.isFinite(until);
  const when = ended ? `is switched off for a while, and for good on ${sunset}` : `was removed on ${sunset}`;
  return new AppError(code, {
    detail: `${targetText(target)} ${when}. ${migration}`,
    headers: { ...headers, ...(ended ? { "retry-after": String(Math.ceil((until - now) / 1000)) } : {}) },
    extra: { replacement, deprecation: pageOfDeprecation(id) },
  });
};

/** `checkDeprecations` has accepted the registry. */
export const createDeprecations = (
  ports: Pick<Ports, "clock" | "deprecatedUses" | "telemetry">,
  registry: readonly Deprecation[],
  versions: readonly ApiVersion[],
  enforced: boolean,
) => {
  const counter = createUseCounter(ports);
  for (const { id } of registry) {
    for (const kind of ["asked", "sent"] satisfies DeprecatedUse["kind"][]) {
      ports.telemetry.count("api_deprecated_requests_total", { deprecation: id, kind }, 0);
    }
  }
  const byId = new Map<string, ApiVersion>(versions.map((version) => [version.id, version]));
  const watches = new Map<string, Watch | undefined>();

  const refuseEnded = (used: readonly Deprecation[], headers: () => Headers): void => {
    if (!enforced) return;
    const now = ports.clock.now();
    for (const deprecation of used) {
      const until = refusedUntil(deprecation, now);
      if (until !== undefined) throw refusal(deprecation, until, now, headers());
    }
  };

  return {
    registry,
    /**
     * `undefined` if nothing about the operation is deprecated.
     * @throws AppError `version_retired`, `endpoint_removed` after its sunset, if sunsets are
     *   enforced.
     */
    notice: (operation: Operation, facts: RequestFacts): RequestNotice | undefined => {
      const version = byId.get(facts.version.id);
      if (version === undefined) return undefined;
      const key = `${version.id} ${operation.id}`;
      if (!watches.has(key)) watches.set(key, watchOf(version, operation, registry));
      const found = watches.get(key);
      if (found === undefined) return undefined;
      let used = found.whole;
      let caller: Principal | undefined;
      const count = (deprecation: Deprecation, kind: DeprecatedUse["kind"]): void => {
        if (isOfConsole(caller)) return;
        const client = clientOf(caller);
        counter.count(deprecation, { client, agent: facts.agent ?? "", operation: operation.id, kind });
      };
      const headers = (link?: string) => (used.length === 0 ? {} : deprecationHeaders(used, versions, facts, link));
      if (used.length > 0) refuseEnded(used, headers);
      return {
        note: (given, principal) => {
          used = [...used, ...found.usedBy(given)];
          caller = principal;
          for (const deprecation of used) count(deprecation, "asked");
          if (used.length > 0) refuseEnded(used, headers);
        },
        noteAnswer: (body) => {
          for (const deprecation of found.sentIn(body)) {
            if (used.includes(deprecation)) continue;
            count(deprecation, "sent");
            used = [...used, deprecation];
          }
        },
        headers,
      };
    },
    /** Stores the uses counted so far. */
    flush: counter.flush,
    /** Whether they are stored. */
    isStored: counter.isStored,
  };
};
