import { choice, defineResource, nullable, ownedBy, reference, text, timestamp } from "postern";

/** An invoice of its owner, which can be sent once. */
export const invoice = defineResource({
  name: "invoice",
  plural: "invoices",
  description: "An invoice.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", as: "owner", description: "Its owner." }),
    number: text(20, { unique: true, description: "Its number." }),
    state: choice(["draft", "sent"], { default: "draft", description: "Its state." }),
    sent_at: nullable(timestamp({ description: "When it was sent." })),
  },
  owner: "user_id",
  access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
  lifecycle: { field: "state", initial: ["draft"], moves: { draft: ["sent"], sent: [] }, stamps: { sent: "sent_at" } },
});
