export {
  type ConnectionOptions,
  createGatewayServer,
  createHttpServer,
  type HttpServer,
  type HttpServerOptions,
  type TlsFiles,
} from "./create-http-server.ts";
export { leavesBodyUnread } from "./lingering-body.ts";
export type { ListeningAt, ListenOptions } from "./listen.ts";
export { gatewayListener, type NodeListener, nodeListener } from "./node-listener.ts";
export { type Sendable, sendable, sendTurn } from "./send.ts";
export { answerTurn, openTurn, type Turn } from "./turns.ts";
