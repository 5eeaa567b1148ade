import { Hono } from "hono";
import { getConnInfo } from "hono/bun";
import { on, openPostern } from "postern";

const postern = await openPostern({
  database: process.env.DATABASE_URL ?? "sqlite:./app.db",
  basePath: "/postern",
  providers: { stripe: process.env.STRIPE_SECRET },
  handlers: [on("stripe", "invoice.*", async ({ type }, { log }) => log("warn", `invoices: ${type}`))],
});
const host = new Hono().all("/postern/*", (context) => {
  const { address } = getConnInfo(context).remote;
  return postern.fetch(context.req.raw, address === undefined ? {} : { address });
});
host.all("*", (context) => context.text("Your own page."));

/** Bun serves what a file exports in this form. */
export default { port: process.env.PORT ?? 3000, fetch: host.fetch };
