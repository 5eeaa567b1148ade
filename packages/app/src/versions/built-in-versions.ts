import type { VersionDefinition } from "@postern/rest";
import { listsAreObjects } from "./lists-are-objects.ts";
import { subscriptionHasAStart } from "./subscription-has-a-start.ts";
import { textsAreBodies } from "./texts-are-bodies.ts";
import { writesRequireIfMatch } from "./writes-require-if-match.ts";

/**
 * The version table, oldest first. Each version lists its changes since the one before. The
 * operations read and answer in the form of the last one.
 */
export const builtInVersions: readonly VersionDefinition[] = [
  { id: "v1", released: "2026-11-21", changes: [] },
  {
    id: "v2",
    released: "2026-11-21",
    changes: [listsAreObjects, textsAreBodies, subscriptionHasAStart, writesRequireIfMatch],
  },
];
