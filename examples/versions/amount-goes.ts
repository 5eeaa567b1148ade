import type { Deprecation } from "@postern/rest";

/** The old name of the total goes with v2. */
export const amountGoes: Deprecation = {
  id: "v2-invoice-amount",
  target: { version: "v2", resource: "invoice", field: "amount" },
  announced: "2027-03-01",
  deprecated: "2027-03-01",
  sunset: "2027-10-01",
  replacement: { version: "v3", field: "total" },
  reason: "`amount` was taken for the amount without tax.",
  migration: "Move to v3, and read and write `total` there.",
};
