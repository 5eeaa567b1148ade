export { formBody } from "./form-body.ts";
export { koaListener } from "./koa-listener.ts";
export { gatewayMiddleware, koaMiddleware } from "./koa-middleware.ts";
