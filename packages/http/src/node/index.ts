export type { NodeExchange } from "./connections.ts";
export {
  type ConnectionOptions,
  createGatewayServer,
  createHttpServer,
  type HttpServer,
  type HttpServerOptions,
} from "./create-http-server.ts";
export { answerExchange, gatewayListener, type NodeListener, nodeListener, openExchange } from "./node-exchange.ts";
export { leavesBodyUnread, sendAnswer, sendable } from "./node-message.ts";
