export type { NodeExchange } from "./connections.ts";
export {
  type ConnectionOptions,
  createGatewayServer,
  createHttpServer,
  type HttpServer,
  type HttpServerOptions,
  type TlsFiles,
} from "./create-http-server.ts";
export { answerExchange, openExchange } from "./node-exchange.ts";
export { gatewayListener, type NodeListener, nodeListener } from "./node-listener.ts";
export { leavesBodyUnread, sendAnswer, sendable } from "./send.ts";
