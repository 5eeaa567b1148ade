import { on, type PosternOptions } from "postern";

/** What Postern does in this application. */
export const options: PosternOptions = {
  database: process.env.DATABASE_URL ?? "sqlite:./app.db",
  basePath: "/postern",
  providers: { stripe: process.env.STRIPE_SECRET },
  handlers: [on("stripe", "invoice.*", async ({ type }, { log }) => log("warn", `invoices: ${type}`))],
};
