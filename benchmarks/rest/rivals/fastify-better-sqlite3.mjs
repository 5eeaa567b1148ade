// Close to what Node and SQLite can do: Fastify with schemas for its answers, better-sqlite3 with
// prepared statements. `node … <file>`.
import { randomUUID } from "node:crypto";
import jwt from "@fastify/jwt";
import Sqlite from "better-sqlite3";
import fastify from "fastify";
import { secret } from "../data.mjs";

const db = new Sqlite(process.argv[2]);
db.pragma("journal_mode = WAL");
db.pragma("synchronous = FULL");
db.pragma("foreign_keys = ON");
const fields = ["id", "user_id", "title", "body", "status", "published_at", "created_at", "updated_at"];
const findUser = db.prepare("SELECT id, role FROM users WHERE id = ?");
const findPost = db.prepare(`SELECT ${fields.join(", ")} FROM posts WHERE id = ?`);
const insertPost = db.prepare(
  `INSERT INTO posts (${fields.join(", ")}) VALUES (${fields.map((name) => `@${name}`).join(", ")})`,
);
const lists = new Map();
const listPosts = (selected) => {
  const key = selected.join();
  const known = lists.get(key) ?? {
    first: db.prepare(`SELECT ${key} FROM posts WHERE user_id = ? ORDER BY id LIMIT ?`),
    after: db.prepare(`SELECT ${key} FROM posts WHERE user_id = ? AND id > ? ORDER BY id LIMIT ?`),
  };
  lists.set(key, known);
  return known;
};

const text = { type: "string" };
const post = {
  type: "object",
  properties: Object.fromEntries(
    fields.map((name) => [name, name === "published_at" ? { type: "string", nullable: true } : text]),
  ),
};
const page = {
  type: "object",
  properties: {
    limit: { type: "integer" },
    has_more: { type: "boolean" },
    next_cursor: { type: "string", nullable: true },
  },
};

const app = fastify();
app.register(jwt, { secret });
app.addHook("onRequest", async (request) => {
  const { sub } = await request.jwtVerify();
  request.caller = findUser.get(sub);
  if (request.caller === undefined) throw Object.assign(new Error("no such user"), { statusCode: 401 });
});
const refuse = (statusCode, message) => Object.assign(new Error(message), { statusCode });

app.get("/posts/:id", { schema: { response: { 200: post } } }, async (request) => {
  const found = findPost.get(request.params.id);
  const { id, role } = request.caller;
  if (found === undefined || !(found.user_id === id || found.status === "published" || role === "admin"))
    throw refuse(404, "no such post");
  return found;
});

app.get(
  "/users/:id/posts",
  {
    schema: {
      querystring: {
        type: "object",
        properties: { limit: { type: "integer", minimum: 1, maximum: 100, default: 20 }, fields: text, cursor: text },
      },
      response: { 200: { type: "object", properties: { data: { type: "array", items: post }, page } } },
    },
  },
  async (request) => {
    const { id, role } = request.caller;
    if (request.params.id !== id && role !== "admin") throw refuse(404, "no such user");
    const { limit, cursor } = request.query;
    const selected = request.query.fields?.split(",") ?? fields;
    if (selected.some((name) => !fields.includes(name))) throw refuse(400, "no such field");
    const { first, after } = listPosts(selected.includes("id") ? selected : ["id", ...selected]);
    const rows =
      cursor === undefined ? first.all(request.params.id, limit + 1) : after.all(request.params.id, cursor, limit + 1);
    const data = rows.slice(0, limit);
    const more = rows.length > limit;
    return { data, page: { limit, has_more: more, next_cursor: more ? data.at(-1).id : null } };
  },
);

app.post(
  "/users/:id/posts",
  {
    schema: {
      body: {
        type: "object",
        required: ["title", "body"],
        properties: {
          title: { ...text, minLength: 1, maxLength: 200 },
          body: { ...text, minLength: 1, maxLength: 100_000 },
        },
      },
      response: { 201: post },
    },
  },
  async (request, reply) => {
    if (request.params.id !== request.caller.id) throw refuse(404, "no such user");
    const now = new Date().toISOString();
    const { title, body } = request.body;
    const row = {
      id: randomUUID(),
      user_id: request.params.id,
      title,
      body,
      status: "draft",
      published_at: null,
      created_at: now,
      updated_at: now,
    };
    insertPost.run(row);
    reply.code(201).header("location", `/posts/${row.id}`);
    return row;
  },
);

await app.listen({ port: Number(process.env.PORT), host: "127.0.0.1" });
console.log("listening");
