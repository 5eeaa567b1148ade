import type { Resource } from "@postern/core";
import type { LongWork } from "@postern/core/internal";
import type { Clock } from "@postern/core/ports";
import type { Roles } from "../access/roles.ts";
import { type ChangeLog, changeLogSteps } from "../changelog/change-log.ts";
import type { Correction } from "../changelog/correction.ts";
import { stateOf } from "../deprecations/deprecation.ts";
import type { Deprecations } from "../deprecations/deprecations.ts";
import { finish, type Steps } from "../limits/steps.ts";
import { type OpenApiDocument, openApiSteps } from "../openapi/openapi.ts";
import { type SenderAnswer, withSenderAnswers } from "../openapi/sender-answers.ts";
import { sharedPartsSteps } from "../openapi/shared-parts.ts";
import type { OperationAnswer } from "../operations/operation.ts";
import { docsPageSteps } from "../pages/docs-page.ts";
import { htmlHeaders } from "../pages/html.ts";
import type { ProductInForce } from "../product.ts";
import { type ApiVersion, newestOf, versionOf } from "../versions/api-versions.ts";
import type { LeavesAlone, VersionChange, VersionDefinition } from "../versions/version.ts";

/** What the API can tell about itself, once all operations are in the tables of the versions. */
export type SelfDescription = ReturnType<typeof createSelfDescription>;

/** The answers that senders of webhooks get beside the usual ones. Senders come and go at run time. */
export interface SenderAnswers {
  /** Those of all senders that this process knows. */
  known(): readonly SenderAnswer[];
  /** Gets to know the others. It never rejects. */
  look(): Promise<void>;
}

export const noSenders: SenderAnswers = { known: () => [], look: async () => undefined };

interface DocumentParts {
  readonly product: ProductInForce;
  readonly clock: Clock;
  readonly resources: readonly Resource[];
  /** The version table, oldest first. */
  readonly definitions: readonly VersionDefinition[];
  /** The operations as they read and answer now, and what the newest version does not have of that yet. */
  readonly current: ApiVersion;
  readonly pending: readonly VersionChange[];
  readonly leavesAlone?: LeavesAlone | undefined;
  readonly corrections: readonly Correction[];
  readonly roles: Roles;
  readonly senders: SenderAnswers;
}

export const createSelfDescription = (
  { product, clock, resources, definitions, current, pending, leavesAlone, corrections, roles, senders }: DocumentParts,
  versions: readonly ApiVersion[],
  deprecations: Pick<Deprecations, "registry" | "flush" | "isStored">,
  longWork: LongWork,
) => {
  const { registry } = deprecations;
  const newest = newestOf(versions);
  const log = createKept(() =>
    changeLogSteps({
      definitions,
      versions,
      current,
      pending,
      leavesAlone,
      deprecations: registry,
      corrections,
      resources,
    }),
  );
  const served = createKept(
    function* (version): Steps<OpenApiDocument> {
      const usual = yield* openApiSteps(version, resources, registry, product);
      const whole = withSenderAnswers(usual, version.operations, senders.known());
      return { ...(yield* sharedPartsSteps(whole)), "x-roles": roles };
    },
    // Several senders may get the same form of an answer. It counts once.
    () => [...new Set(senders.known().map((one) => JSON.stringify(one)))].toSorted().join(),
  );
  /** For the pages: without announced removals and without shared parts. */
  const shown = createKept((version) => openApiSteps(version, resources, [], product));
  const pages = createKept(
    function* (version): Steps<OperationAnswer> {
      const now = clock.now();
      const document = yield* shown.steps(version);
      const { entries: changes } = yield* log.steps(newest);
      const text = yield* docsPageSteps({ product, version, versions, document, changes, deprecations: registry, now });
      return { status: 200, headers: htmlHeaders, text, isLasting: true };
    },
    // Time changes nothing on a page but the states of deprecations.
    () => registry.map((entry) => stateOf(entry, clock.now())).join(),
  );
  function* everything(): Steps<void> {
    for (const { steps } of [served, shown]) for (const version of versions) yield* steps(version);
    yield* log.steps(newest);
    for (const version of versions) yield* pages.steps(version);
  }

  const oneByOne = createOneByOne(longWork);
  const given = async <Value>({ known, steps }: Kept<Value>, version: ApiVersion): Promise<Value> =>
    known(version) ?? oneByOne(() => steps(version));
  return {
    product,
    versions,
    deprecations,
    /**
     * What has changed from version to version. This member and the following ones are made when you
     * first ask for them, in short turns, so that requests are answered in between.
     */
    changeLog: (): Promise<ChangeLog> => given(log, newest),
    openApi: async (id: string): Promise<OpenApiDocument> => {
      const version = versionOf(versions, id);
      await senders.look();
      return given(served, version);
    },
    /** The page of a version: the same object until something on it changes. */
    docsPage: async (id: string): Promise<OperationAnswer> => given(pages, versionOf(versions, id)),
    changeLogNow: (): ChangeLog => finish(log.steps(newest)),
    openApiNow: (id: string): OpenApiDocument => finish(served.steps(versionOf(versions, id))),
    prepare: (): Promise<void> => oneByOne(everything),
  };
};

type Kept<Value> = ReturnType<typeof createKept<Value>>;

/**
 * Something of each version that is made once, when it is first asked for. It is kept until
 * `stateNow` returns something else.
 */
const createKept = <Value>(make: (version: ApiVersion) => Steps<Value>, stateNow = (): string => "") => {
  const made = new Map<string, { readonly state: string; readonly value: Value }>();
  const known = ({ id }: ApiVersion): Value | undefined => {
    const one = made.get(id);
    return one?.state === stateNow() ? one.value : undefined;
  };
  return {
    /** `undefined` if it is not made yet. */
    known,
    *steps(version: ApiVersion): Steps<Value> {
      const before = known(version);
      if (before !== undefined) return before;
      const state = stateNow();
      const value = yield* make(version);
      made.set(version.id, { state, value });
      return value;
    },
  };
};

/** Returns a function that does pieces of work one after the other, so nothing is made twice. */
const createOneByOne = (longWork: LongWork) => {
  /** Settles when the work that was requested last has ended. */
  let last: Promise<unknown> = Promise.resolve();
  return <Result>(steps: () => Steps<Result>): Promise<Result> => {
    const made = last.then(() => longWork.finish("documents", steps()));
    // Only this caller gets the error; the next one tries again.
    last = made.catch(() => undefined);
    return made;
  };
};
