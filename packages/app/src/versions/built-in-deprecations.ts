import type { Deprecation } from "@postern/rest";
import { olderAuditFilters } from "../admin/audit-operations.ts";
import { olderEventFilters } from "../admin/event-filters.ts";
import { olderJobFilters } from "../admin/job-operations.ts";

/** The spellings that lists of administrators had before they took `filter[…]`, in each version. */
const olderFilters = (operation: string, filters: Readonly<Record<string, string>>): readonly Deprecation[] =>
  (["v1", "v2"] as const).flatMap((version) =>
    Object.entries(filters).map(
      ([parameter, replacement]): Deprecation => ({
        id: `${version}-${operation.replaceAll(".", "-")}-${parameter.replaceAll("_", "-")}`,
        target: { version, operation, parameter },
        announced: "2026-11-22",
        deprecated: "2026-11-22",
        sunset: "2027-11-30",
        replacement: { version, operation },
        reason: "All lists are narrowed in one way.",
        migration: `Send \`${replacement}\` in place of \`${parameter}\`.`,
      }),
    ),
  );

/**
 * The things that are announced to be removed. An entry stays after its sunset, as history. Its
 * dates may be moved later, never earlier.
 */
export const builtInDeprecations: readonly Deprecation[] = [
  {
    id: "user-subscription-status",
    target: { version: "v1", resource: "user", field: "subscription_status" },
    announced: "2026-11-21",
    deprecated: "2026-11-21",
    sunset: "2027-11-30",
    replacement: { version: "v2", field: "subscription.status" },
    reason: "A status alone does not tell for how long a subscription has been past due.",
    migration: "Move to v2, and read and write `subscription.status` there.",
  },
  ...olderFilters("admin.events.list", olderEventFilters),
  ...olderFilters("admin.jobs.list", olderJobFilters),
  ...olderFilters("admin.audit.list", olderAuditFilters),
];
