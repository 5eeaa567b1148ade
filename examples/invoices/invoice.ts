import { choice, date, decimal, defineResource, nullable, ownedBy, reference, text, timestamp } from "@postern/core";

/** An invoice belongs to the user who creates it. Only they and administrators can see it. */
export const invoice = defineResource({
  name: "invoice",
  plural: "invoices",
  description: "An invoice.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", as: "owner", description: "The user who sends it." }),
    number: text(20, {
      unique: true,
      filter: "everyone",
      sort: "everyone",
      description: "Its number, e.g. 2026-0042.",
    }),
    amount: decimal({ digits: 12, decimals: 2, min: 0, filter: "everyone", description: "The amount to pay." }),
    currency: choice(["EUR", "USD"], { filter: "everyone", description: "The currency of the amount." }),
    due_on: date({ filter: "everyone", sort: "everyone", description: "The day by which it must be paid." }),
    state: choice(["draft", "sent", "paid"], {
      default: "draft",
      filter: "everyone",
      description: "Whether it is a draft, sent or paid.",
    }),
    sent_at: nullable(timestamp({ filter: "everyone", description: "When it was sent." })),
    paid_at: nullable(timestamp({ filter: "everyone", description: "When it was paid." })),
    reminded_at: nullable(timestamp({ write: "nobody", description: "When the customer was reminded." })),
  },
  owner: "user_id",
  access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
  lifecycle: {
    field: "state",
    initial: ["draft"],
    moves: { draft: ["sent"], sent: ["paid"], paid: [] },
    stamps: { sent: "sent_at", paid: "paid_at" },
  },
});
