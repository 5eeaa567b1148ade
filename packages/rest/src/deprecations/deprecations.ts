import type { Ports } from "@postern/core";
import { AppError } from "@postern/core";
import type { DeprecatedUse } from "@postern/core/parts";
import type { Principal } from "../access/principal.ts";
import type { Operation, RequestFacts } from "../operations/operation.ts";
import type { ApiVersion } from "../versions/api-versions.ts";
import { type Watch, watchOf } from "./deprecated-uses.ts";
import { type Deprecation, startOf, targetText } from "./deprecation.ts";
import { deprecationHeaders, pageOfDeprecation } from "./deprecation-headers.ts";
import { createUseCounter } from "./use-counter.ts";

type Headers = Readonly<Record<string, string>>;

/** The deprecated things that one request uses. */
export interface RequestNotice {
  /**
   * Finds what else the request uses, in addition to the operation itself, and counts all of it.
   * @throws AppError when something it uses is refused.
   */
  note(given: Parameters<Watch["usedBy"]>[0], principal: Principal | undefined): void;
  /** Counts the deprecated parts of the answer that the request did not ask for by name. */
  noteAnswer(body: unknown): void;
  /** The headers of the answer. `link` is what its `Link` header already contains. */
  headers(link: string | undefined): Headers;
}

export interface Deprecations {
  readonly registry: readonly Deprecation[];
  /**
   * `undefined` if nothing about the operation is deprecated.
   * @throws AppError `version_retired`, `endpoint_removed` after its sunset, if sunsets are
   *   enforced.
   */
  notice(operation: Operation, facts: RequestFacts): RequestNotice | undefined;
  /** Stores the uses counted so far. */
  flush(): Promise<void>;
}

const clientOf = (principal: Principal | undefined): string => {
  if (principal === undefined) return "anonymous";
  return (principal.kind === "user" ? `user:${principal.userId}` : `operator:${principal.name}`).slice(0, 64);
};

/** If the deprecated thing is refused now: until when. `undefined` if it is answered. */
const refusedUntil = ({ sunset, brownOuts = [] }: Deprecation, now: number): number | undefined => {
  if (now >= startOf(sunset)) return Number.POSITIVE_INFINITY;
  const brownOut = brownOuts.find(({ from, to }) => now >= Date.parse(from) && now < Date.parse(to));
  return brownOut === undefined ? undefined : Date.parse(brownOut.to);
};

const refusal = (deprecation: Deprecation, until: number, now: number, headers: Headers): AppError => {
  const { target, replacement, id, sunset, migration } = deprecation;
  const code =
    "resource" in target || "parameter" in target
      ? "feature_removed"
      : "operation" in target
        ? "endpoint_removed"
        : "version_retired";
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
): Deprecations => {
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
    notice: (operation, facts) => {
      const version = byId.get(facts.version.id);
      if (version === undefined) return undefined;
      const key = `${version.id} ${operation.id}`;
      if (!watches.has(key)) watches.set(key, watchOf(version, operation, registry));
      const found = watches.get(key);
      if (found === undefined) return undefined;
      let used = found.whole;
      let caller: Principal | undefined;
      const count = (deprecation: Deprecation, kind: DeprecatedUse["kind"]): void =>
        counter.count(deprecation, {
          client: clientOf(caller),
          agent: facts.agent ?? "",
          operation: operation.id,
          kind,
        });
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
    flush: counter.flush,
  };
};
