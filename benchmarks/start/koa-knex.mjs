// What people write by hand: Koa, its router and body parser, Knex on SQLite, one table, one route.
// It uses the workspace's own copies.
import { createRequire } from "node:module";

const fromHttp = createRequire(new URL("../../packages/http-koa/package.json", import.meta.url));
const fromStorage = createRequire(new URL("../../packages/storage-knex/package.json", import.meta.url));
const Koa = fromHttp("koa");
const { Router } = fromHttp("@koa/router");
const { koaBody } = fromHttp("koa-body");
const knex = fromStorage("knex");

const db = knex({
  client: "sqlite3",
  connection: { filename: process.env.DATABASE_URL.slice("sqlite:".length) },
  useNullAsDefault: true,
});
if (!(await db.schema.hasTable("users"))) {
  await db.schema.createTable("users", (table) => {
    table.increments("id");
    table.string("email").unique();
  });
}
const router = new Router();
router.get("/health/live", async (context) => {
  context.body = await db("users").count();
});
const app = new Koa();
app.use(koaBody());
app.use(router.routes());
app.listen(Number(process.env.PORT), "127.0.0.1");
