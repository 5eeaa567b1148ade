// What Koa and its router cost by themselves: the same bytes as `bare.mjs`, through a route.
import Router from "@koa/router";
import Koa from "koa";
import { bytes } from "./bare-answer.mjs";

const app = new Koa();
const router = new Router();

const answer = async (ctx) => {
  await new Promise((resolve) => ctx.req.on("data", () => undefined).on("end", resolve));
  ctx.type = "application/json";
  ctx.body = bytes;
};

router.get("/posts/:id", answer);
router.get("/users/:id/posts", answer);
router.post("/users/:id/posts", answer);
app.use(router.routes());
app.listen(Number(process.env.PORT), "127.0.0.1", () => console.log("listening"));
