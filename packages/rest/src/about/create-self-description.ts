import type { LongWork } from "@postern/core/parts";
import type { ChangeLog } from "../changelog/change-log.ts";
import { finish, type Steps } from "../limits/steps.ts";
import type { OpenApiDocument } from "../openapi/openapi.ts";
import { type ApiVersion, versionOf } from "../versions/api-versions.ts";
import { createDocuments, type DocumentParts } from "./documents.ts";
import type { SelfDescription } from "./self-description.ts";

/** The same without waiting, and a way to make everything beforehand. */
interface Prepared {
  openApiNow(version: string): OpenApiDocument;
  changeLogNow(): ChangeLog;
  prepare(): Promise<void>;
}

/**
 * What the API tells about itself. Documents and the change log are made once: beforehand, or when
 * you first ask for them.
 */
export const createSelfDescription = (
  parts: DocumentParts,
  versions: readonly ApiVersion[],
  deprecations: SelfDescription["deprecations"],
  longWork: LongWork,
): SelfDescription & Prepared => {
  const documents = createDocuments(parts, versions, deprecations.registry);
  const oneByOne = createOneByOne(longWork);
  let preparing: Promise<void> | undefined;

  return {
    versions,
    deprecations,
    changeLog: async () => documents.knownChangeLog() ?? oneByOne(documents.changeLog),
    openApi: async (id) => {
      const version = versionOf(versions, id);
      return documents.knownOpenApi(version) ?? oneByOne(() => documents.openApi(version));
    },
    docsPage: async (id) => {
      const version = versionOf(versions, id);
      return documents.knownPage(version) ?? oneByOne(() => documents.page(version));
    },
    changeLogNow: () => finish(documents.changeLog()),
    openApiNow: (id) => finish(documents.openApi(versionOf(versions, id))),
    prepare: () => {
      preparing ??= oneByOne(documents.everything);
      return preparing;
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
