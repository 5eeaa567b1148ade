export { createHttpServer, type HttpServer, type HttpServerOptions, type TlsFiles } from "./create-http-server.ts";
export type { ListeningAt, Place } from "./listen.ts";
export type { NodeListener } from "./listener.ts";
export { koaMiddleware, nodeListener } from "./mount.ts";
export type { HttpOptions } from "./options.ts";
