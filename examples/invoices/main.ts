import { randomBytes } from "node:crypto";
import { openInvoices } from "./app.ts";

// Tokens end with the process. A real application keeps its key.
const { koa } = await openInvoices("sqlite:./data/invoices.db", randomBytes(32));
koa.listen(3000, "127.0.0.1", () => console.log("http://127.0.0.1:3000/api/docs"));
