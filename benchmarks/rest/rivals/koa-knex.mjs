// The straightforward app: Koa, its router and body parser, jsonwebtoken, a query builder. `node
// koa-knex.mjs <file>`.
import { randomUUID } from "node:crypto";
import Router from "@koa/router";
import jwt from "jsonwebtoken";
import knex from "knex";
import Koa from "koa";
import { koaBody } from "koa-body";
import { secret } from "../data.mjs";

const db = knex({
  client: "sqlite3",
  connection: { filename: process.argv[2] },
  useNullAsDefault: true,
  pool: {
    min: 1,
    max: 1,
    afterCreate: (connection, done) =>
      connection.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;", (error) =>
        done(error, connection),
      ),
  },
});
const fields = ["id", "user_id", "title", "body", "status", "published_at", "created_at", "updated_at"];

const app = new Koa();
const router = new Router();

app.use(async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    ctx.status = error.status ?? 500;
    ctx.body = { error: error.message };
  }
});
app.use(koaBody());
app.use(async (ctx, next) => {
  const token = /^Bearer (.+)$/.exec(ctx.get("authorization"))?.[1];
  const { sub } = jwt.verify(token ?? "", secret, { algorithms: ["HS256"] });
  ctx.state.user = await db("users").where({ id: sub }).first("id", "role");
  if (ctx.state.user === undefined) ctx.throw(401, "no such user");
  await next();
});

router.get("/posts/:id", async (ctx) => {
  const post = await db("posts").where({ id: ctx.params.id }).first(fields);
  const { id, role } = ctx.state.user;
  const allowed = post !== undefined && (post.user_id === id || post.status === "published" || role === "admin");
  if (!allowed) ctx.throw(404, "no such post");
  ctx.body = post;
});

router.get("/users/:id/posts", async (ctx) => {
  const { id, role } = ctx.state.user;
  if (ctx.params.id !== id && role !== "admin") ctx.throw(404, "no such user");
  const limit = Number(ctx.query.limit ?? 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) ctx.throw(400, "limit is 1 to 100");
  const selected = ctx.query.fields?.split(",") ?? fields;
  if (selected.some((name) => !fields.includes(name))) ctx.throw(400, "no such field");
  const query = db("posts")
    .where({ user_id: ctx.params.id })
    .orderBy("id")
    .limit(limit + 1)
    .select(["id", ...selected]);
  if (ctx.query.cursor !== undefined) query.andWhere("id", ">", ctx.query.cursor);
  const rows = await query;
  const data = rows.slice(0, limit);
  const more = rows.length > limit;
  ctx.body = { data, page: { limit, has_more: more, next_cursor: more ? data.at(-1).id : null } };
});

router.post("/users/:id/posts", async (ctx) => {
  if (ctx.params.id !== ctx.state.user.id) ctx.throw(404, "no such user");
  const { title, body } = ctx.request.body ?? {};
  if (typeof title !== "string" || title === "" || title.length > 200) ctx.throw(400, "title is required");
  if (typeof body !== "string" || body === "" || body.length > 100_000) ctx.throw(400, "body is required");
  const now = new Date().toISOString();
  const post = {
    id: randomUUID(),
    user_id: ctx.params.id,
    title,
    body,
    status: "draft",
    published_at: null,
    created_at: now,
    updated_at: now,
  };
  await db("posts").insert(post);
  ctx.status = 201;
  ctx.set("location", `/posts/${post.id}`);
  ctx.body = post;
});

app.use(router.routes());
app.listen(Number(process.env.PORT), "127.0.0.1", () => console.log("listening"));
