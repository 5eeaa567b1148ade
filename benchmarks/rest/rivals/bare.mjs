// The upper limit: `node:http` reads the body, if there is one, and always answers with the same
// bytes.
import { createServer } from "node:http";
import { moment, postId, text, title, userId } from "../data.mjs";

const answer = JSON.stringify({
  id: postId(0, 0),
  user_id: userId(0),
  title: title(0, 0),
  body: text,
  status: "draft",
  published_at: null,
  created_at: moment,
  updated_at: moment,
});
const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(answer) };

createServer((request, response) => {
  request.on("data", () => undefined).on("end", () => response.writeHead(200, headers).end(answer));
}).listen(Number(process.env.PORT), "127.0.0.1", () => console.log("listening"));
