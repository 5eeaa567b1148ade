import Koa from "koa";
import type { Postern } from "postern";

/**
 * Postern in a Koa 3 application, in front of its body parsers. Open Postern with
 * `basePath: "/postern"`.
 */
export const koaHost = (postern: Postern): Koa => {
  const host = new Koa();
  host.use(postern.koa);
  host.use((context) => {
    context.body = "Your own page.";
  });
  return host;
};
