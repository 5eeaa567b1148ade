import { renameField, type VersionDefinition } from "@postern/rest";

/** What v3 changed. */
export const v3: VersionDefinition = {
  id: "v3",
  released: "2027-03-01",
  changes: [
    {
      id: "invoices-have-a-total",
      kind: "renamed",
      title: "What an invoice asks for is its total",
      why: "`amount` was taken for the amount without tax.",
      migration: "Read and write `total` where you used `amount`.",
      effects: [renameField({ resource: "invoice", from: "amount", to: "total" })],
    },
  ],
};
