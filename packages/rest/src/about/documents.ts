import type { Resource } from "@postern/core";
import type { Clock } from "@postern/core/parts";
import type { Roles } from "../access/roles.ts";
import { type ChangeLog, changeLogSteps } from "../changelog/change-log.ts";
import type { Correction } from "../changelog/correction.ts";
import { type Deprecation, stateOf } from "../deprecations/deprecation.ts";
import type { Steps } from "../limits/steps.ts";
import { type OpenApiDocument, openApiSteps } from "../openapi/openapi.ts";
import { sharedPartsSteps } from "../openapi/shared-parts.ts";
import type { OperationAnswer } from "../operations/operation.ts";
import { docsPageSteps } from "../pages/docs-page.ts";
import { htmlHeaders } from "../pages/html.ts";
import type { ApiVersion } from "../versions/api-versions.ts";
import type { VersionDefinition } from "../versions/version.ts";

/** What the documents are made from. */
export interface DocumentParts {
  readonly clock: Clock;
  readonly resources: readonly Resource[];
  /** The version table, oldest first. */
  readonly definitions: readonly VersionDefinition[];
  readonly corrections: readonly Correction[];
  readonly roles: Roles;
}

/**
 * The documents about the API. Each is made once, in steps; the same steps then return what was
 * made. `undefined` stands for what is not made yet.
 */
export interface Documents {
  readonly knownChangeLog: () => ChangeLog | undefined;
  readonly changeLog: () => Steps<ChangeLog>;
  readonly knownOpenApi: (version: ApiVersion) => OpenApiDocument | undefined;
  readonly openApi: (version: ApiVersion) => Steps<OpenApiDocument>;
  /** A page is made anew when the state of a deprecation on it changes. */
  readonly knownPage: (version: ApiVersion) => OperationAnswer | undefined;
  readonly page: (version: ApiVersion) => Steps<OperationAnswer>;
  readonly everything: () => Steps<void>;
}

export const createDocuments = (
  { clock, resources, definitions, corrections, roles }: DocumentParts,
  versions: readonly ApiVersion[],
  registry: readonly Deprecation[],
): Documents => {
  /**
   * By version: the documents as they are served, and those without announced removals and without
   * shared parts, which the pages show.
   */
  const served = new Map<string, OpenApiDocument>();
  const shown = new Map<string, OpenApiDocument>();
  /** By version: the page, and the states of the deprecations that it shows. */
  const pages = new Map<string, { readonly states: string; readonly answer: OperationAnswer }>();
  let log: ChangeLog | undefined;

  function* documentOnce(made: Map<string, OpenApiDocument>, version: ApiVersion): Steps<OpenApiDocument> {
    const known = made.get(version.id);
    if (known !== undefined) return known;
    const whole = yield* openApiSteps(version, resources, made === served ? registry : []);
    const document = made === served ? { ...(yield* sharedPartsSteps(whole)), "x-roles": roles } : whole;
    // If two were made at the same time, the first is kept.
    const kept = made.get(version.id) ?? document;
    made.set(version.id, kept);
    return kept;
  }
  function* changeLog(): Steps<ChangeLog> {
    const made =
      log ?? (yield* changeLogSteps({ definitions, versions, deprecations: registry, corrections, resources }));
    log ??= made;
    return log;
  }
  const statesAt = (now: number): string => registry.map((entry) => stateOf(entry, now)).join();
  /** Time changes nothing on a page but the states of deprecations. */
  const knownPage = (version: ApiVersion): OperationAnswer | undefined => {
    const known = pages.get(version.id);
    return known?.states === statesAt(clock.now()) ? known.answer : undefined;
  };
  function* page(version: ApiVersion): Steps<OperationAnswer> {
    const known = knownPage(version);
    if (known !== undefined) return known;
    const now = clock.now();
    const document = yield* documentOnce(shown, version);
    const { entries: changes } = yield* changeLog();
    const text = yield* docsPageSteps({ version, versions, document, changes, deprecations: registry, now });
    const answer: OperationAnswer = { status: 200, headers: htmlHeaders, text, isLasting: true };
    pages.set(version.id, { states: statesAt(now), answer });
    return answer;
  }
  function* everything(): Steps<void> {
    for (const version of versions) {
      yield* documentOnce(served, version);
      yield* documentOnce(shown, version);
    }
    yield* changeLog();
    for (const version of versions) {
      yield* page(version);
      yield;
    }
  }

  return {
    knownChangeLog: () => log,
    changeLog,
    knownOpenApi: ({ id }) => served.get(id),
    openApi: (version) => documentOnce(served, version),
    knownPage,
    page,
    everything,
  };
};
