import type { DeprecatedUseStore } from "@postern/core/parts";
import type { Operation } from "../operations/operation.ts";
import { assetOperations } from "./asset-operations.ts";
import { readChangeLog } from "./change-log-operation.ts";
import { listDeprecatedUses } from "./deprecated-uses-operation.ts";
import { listDeprecations, readDeprecation } from "./deprecation-operations.ts";
import { explainProblem } from "./problem-operation.ts";
import type { SelfDescription } from "./self-description.ts";
import { listVersions, readDocs, readOpenApi } from "./version-operations.ts";

/**
 * The operations with which the API describes itself. `self` is called with each request, because
 * the tables that it describes contain these operations, too.
 */
export const aboutOperations = (
  self: () => SelfDescription,
  deprecatedUses: Pick<DeprecatedUseStore, "sums">,
): readonly Operation[] => [
  listVersions(self),
  explainProblem(self),
  readChangeLog(self),
  listDeprecations(self),
  readDeprecation(self),
  readOpenApi(self),
  readDocs(self),
  ...assetOperations(),
  listDeprecatedUses(self, deprecatedUses),
];
