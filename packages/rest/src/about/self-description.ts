import type { ChangeLog } from "../changelog/change-log.ts";
import type { Deprecations } from "../deprecations/deprecations.ts";
import type { OpenApiDocument } from "../openapi/openapi.ts";
import type { OperationAnswer } from "../operations/operation.ts";
import type { ApiVersion } from "../versions/api-versions.ts";

/**
 * What the API can tell about itself. It is complete once all operations are in the tables of the
 * versions.
 */
export interface SelfDescription {
  readonly versions: readonly ApiVersion[];
  readonly deprecations: Pick<Deprecations, "registry" | "flush">;
  /** Resolves when documents that are being made are ready; at once if none is being made. */
  ready(): Promise<void>;
  /** What has changed from version to version. Made when you first ask for it. */
  changeLog(): ChangeLog;
  openApi(version: string): OpenApiDocument;
  /** The page of a version: the same object until something on it changes. */
  docsPage(version: string): OperationAnswer;
}
