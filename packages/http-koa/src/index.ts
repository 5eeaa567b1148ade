export { formBody, gatewayMiddleware, koaListener, koaMiddleware } from "./koa-middleware.ts";
