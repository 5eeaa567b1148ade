import type { ChangeLog } from "../changelog/change-log.ts";
import type { Deprecations } from "../deprecations/deprecations.ts";
import type { OpenApiDocument } from "../openapi/openapi.ts";
import type { OperationAnswer } from "../operations/operation.ts";
import type { ApiVersion } from "../versions/api-versions.ts";

/** What the API can tell about itself, once all operations are in the tables of the versions. */
export interface SelfDescription {
  readonly versions: readonly ApiVersion[];
  readonly deprecations: Pick<Deprecations, "registry" | "flush">;
  /**
   * What has changed from version to version. This member and the following ones are made when you
   * first ask for them, in short turns, so that requests are answered in between.
   */
  changeLog(): Promise<ChangeLog>;
  openApi(version: string): Promise<OpenApiDocument>;
  /** The page of a version: the same object until something on it changes. */
  docsPage(version: string): Promise<OperationAnswer>;
}
