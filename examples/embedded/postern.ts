import express from "express";
import { on, openPostern } from "postern";

const postern = await openPostern({
  database: process.env.DATABASE_URL ?? "sqlite:./app.db",
  providers: { stripe: process.env.STRIPE_SECRET },
  handlers: [on("stripe", "invoice.*", async ({ type }, { log }) => log("warn", `invoices: ${type}`))],
});
const app = express().use("/postern", postern.listener);
const server = app.listen(process.env.PORT ?? 3000);
process.once("SIGTERM", () => Promise.all([server.close(), postern.stop()]));
