export type { NodeExchange } from "./connections.ts";
export {
  type ConnectionOptions,
  createGatewayServer,
  createHttpServer,
  type HttpServer,
  type HttpServerOptions,
  type TlsFiles,
} from "./create-http-server.ts";
export type { ListeningAt, ListenOptions } from "./listen.ts";
export { answerExchange, openExchange } from "./node-exchange.ts";
export { gatewayListener, type NodeListener, nodeListener } from "./node-listener.ts";
export { leavesBodyUnread, type Sendable, sendAnswer, sendable } from "./send.ts";
