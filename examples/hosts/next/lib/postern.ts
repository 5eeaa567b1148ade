import { on, openPostern, type Postern } from "postern";

// Next.js bundles this file several times. All copies share one Postern.
const shared: { postern?: Promise<Postern> } = Object(globalThis);

export const postern = (): Promise<Postern> =>
  (shared.postern ??= openPostern({
    database: process.env.DATABASE_URL ?? "sqlite:./app.db",
    basePath: "/postern",
    providers: { stripe: process.env.STRIPE_SECRET },
    handlers: [on("stripe", "invoice.*", async ({ type }, { log }) => log("warn", `invoices: ${type}`))],
  }));
