import { decimal, defineResource, type Field, ownedBy, type Resource, reference, text } from "@postern/core";
import { idNumber } from "@postern/core/testing";

/** A declared resource as it was, and as it may become. */
export const invoiceWith = (fields: Record<string, Field>): Resource =>
  defineResource({
    name: "invoice",
    plural: "invoices",
    description: "What somebody has to pay.",
    fields: { user_id: reference("user", { onDelete: "cascade", description: "Whose it is." }), ...fields },
    owner: "user_id",
    access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
  });

export const number = text(20, { unique: true, filter: "everyone", sort: "everyone", description: "Its number." });
export const amount = decimal({ digits: 12, decimals: 2, sort: "everyone", description: "How much." });
export const invoice = invoiceWith({ number, amount });

const times = { created_at: "2026-01-01T00:00:00.000Z", updated_at: "2026-01-01T00:00:00.000Z" };
export const invoiceRow = (n: number, changes = {}) => ({
  id: idNumber(n),
  user_id: idNumber(1),
  number: `R-${n}`,
  amount: n,
  ...times,
  ...changes,
});
