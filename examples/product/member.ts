import { choice, integer, nullable, text, userWith } from "@postern/server";

/** A user of this application: with a company, a plan and a credit, and without a telephone number. */
export const member = userWith({
  fields: {
    company: nullable(text(80, { signUp: true, filter: "everyone", description: "Where they work." })),
    handle: nullable(text(30, { unique: true, write: "everyone", description: "Their short name." })),
    plan: choice(["free", "paid"], { default: "free", write: "admin", description: "What they pay for." }),
    credit: integer({ default: 0, min: 0, description: "How many more invoices they may send." }),
  },
  without: ["phone", "address", "preferences", "subscription"],
});
