import { createServer } from "node:http";
import { on, openPostern } from "postern";

const postern = await openPostern({
  database: process.env.DATABASE_URL ?? "sqlite:./app.db",
  basePath: "/postern",
  providers: { stripe: process.env.STRIPE_SECRET },
  handlers: [on("stripe", "invoice.*", async ({ type }, { log }) => log("warn", `invoices: ${type}`))],
});
const server = createServer((request, response) => {
  void postern.listener(request, response, () => response.end("Your own page."));
});
server.listen(process.env.PORT ?? 3000);
process.once("SIGTERM", () => Promise.all([server.close(), postern.stop()]));
