import type { HttpApp } from "@postern/http";
import { koaMiddleware } from "@postern/http-koa";
import Koa from "koa";

/** Postern below `/postern` of a Koa 3 application, in front of its body parsers. */
export const koaHost = (app: HttpApp): Koa => {
  const host = new Koa();
  host.use(koaMiddleware(app, { basePath: "/postern" }));
  host.use((context) => {
    context.body = "Your own page.";
  });
  return host;
};
