export type { NodeExchange } from "./connections.ts";
export {
  type ConnectionOptions,
  createGatewayServer,
  createHttpServer,
  type HttpServer,
} from "./create-http-server.ts";
export { answerExchange, gatewayListener, nodeListener, openExchange } from "./node-exchange.ts";
export { leavesBodyUnread, sendAnswer, sendable } from "./node-message.ts";
