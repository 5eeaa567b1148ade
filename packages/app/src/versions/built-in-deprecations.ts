import type { Deprecation } from "@postern/rest";

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
];
