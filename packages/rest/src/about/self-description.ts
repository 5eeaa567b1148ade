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
  /**
   * What has changed from version to version. This and what follows is made when you first ask for it,
   * in short turns between which requests are answered.
   */
  changeLog(): Promise<ChangeLog>;
  openApi(version: string): Promise<OpenApiDocument>;
  /** The page of a version: the same object until something on it changes. */
  docsPage(version: string): Promise<OperationAnswer>;
}
