// The upper limit: `node:http` reads the body, if there is one, and always answers with the same
// bytes.
import { createServer } from "node:http";
import { bytes } from "./bare-answer.mjs";

const headers = { "content-type": "application/json", "content-length": bytes.length };

createServer((request, response) => {
  request.on("data", () => undefined).on("end", () => response.writeHead(200, headers).end(bytes));
}).listen(Number(process.env.PORT), "127.0.0.1", () => console.log("listening"));
