import { choice, date, decimal, defineResource, nullable, ownedBy, reference, text, timestamp } from "@postern/core";

/** What somebody sends and has paid. Whoever makes one owns it; nobody else but administrators sees it. */
export const invoice = defineResource({
  name: "invoice",
  plural: "invoices",
  description: "An invoice.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", as: "owner", description: "Who sends it." }),
    number: text(20, {
      unique: true,
      filter: "everyone",
      sort: "everyone",
      description: "Its number, e.g. 2026-0042.",
    }),
    amount: decimal({ digits: 12, decimals: 2, min: 0, filter: "everyone", description: "What is to be paid." }),
    currency: choice(["EUR", "USD"], { filter: "everyone", description: "In what it is to be paid." }),
    due_on: date({ filter: "everyone", sort: "everyone", description: "By when." }),
    state: choice(["draft", "sent", "paid"], { default: "draft", filter: "everyone", description: "Where it stands." }),
    sent_at: nullable(timestamp({ filter: "everyone", description: "When it was sent." })),
    paid_at: nullable(timestamp({ filter: "everyone", description: "When it was paid." })),
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
