import { defineOperation, signedIn, z } from "@postern/server";
import { invoice } from "../invoices/invoice.ts";

/** Finds invoices of the caller: `GET /search?state=sent`. */
export const search = defineOperation({
  id: "search",
  method: "GET",
  path: "/search",
  summary: "Search invoices",
  access: signedIn,
  resources: [invoice],
  input: z.object({
    state: z.enum(["draft", "sent", "paid"]),
    most: z.coerce.number().int().min(1).max(50).default(10),
  }),
  output: z.object({ numbers: z.array(z.string()), of_all_users: z.int() }),
  handle: async ({ query, rows }) => {
    const mine = await rows.invoices.list({ state: query.state }, { limit: query.most });
    const all = await rows.asSystem.invoices.list({ state: query.state });
    return { numbers: mine.map(({ number }) => number), of_all_users: all.length };
  },
});
