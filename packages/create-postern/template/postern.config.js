// @ts-check
import { defineConfig } from "postern";
import { markPaid } from "./handlers/mark-paid.js";
import { invoice } from "./resources/invoice.js";

export default defineConfig({
  // What your customers see in documents, on pages and in mails.
  product: { title: "PROJECT" },
  // The versions of your API. No upgrade changes them: `builtIn` says which shape users have there.
  versions: [{ id: "v1", released: "TODAY", changes: [], builtIn: 1 }],
  // With "posts" there are posts and comments, too.
  parts: ["users", "inbox"],
  resources: [invoice],
  handlers: [markPaid],
  // The secrets are in .env.
  providers: PROVIDERS,
});
