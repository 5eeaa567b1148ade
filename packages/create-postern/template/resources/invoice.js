// @ts-check
import { choice, decimal, defineResource, nullable, ownedBy, reference, text, timestamp } from "postern";

/** An invoice of the user who makes it. `/api/v1/invoices` follows from this. */
export const invoice = defineResource({
  name: "invoice",
  plural: "invoices",
  description: "An invoice.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", as: "owner", description: "The user who sends it." }),
    number: text(20, { unique: true, filter: "everyone", description: "Its number." }),
    amount: decimal({ digits: 12, decimals: 2, min: 0, description: "The amount to pay." }),
    state: choice(["open", "paid"], { default: "open", filter: "everyone", description: "Whether it is paid." }),
    paid_at: nullable(timestamp({ description: "When it was paid." })),
  },
  owner: "user_id",
  access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
  lifecycle: { field: "state", initial: ["open"], moves: { open: ["paid"], paid: [] }, stamps: { paid: "paid_at" } },
});
