import { defineConfig } from "@postern/server";
import { invoice } from "../invoices/invoice.ts";
import { member } from "./member.ts";

export default defineConfig({
  product: {
    title: "Mill & Sons",
    description: "Invoices for millers.",
    contact: { name: "The millers", email: "help@mill.example", url: "https://mill.example/help" },
    logo: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20"><circle cx="10" cy="10" r="9"/></svg>',
    accent: "#8a3b12",
  },
  versions: [{ id: "v1", released: "2027-01-15", changes: [], builtIn: 1 }],
  parts: ["users", "inbox"],
  user: member,
  resources: [invoice],
});
