export type { Compressor } from "./compression/compressor.ts";
export type { Exchange } from "./exchange.ts";
export { createGateway, type Gateway } from "./gateway.ts";
export type { HttpApp } from "./http-app.ts";
export type {
  Headers,
  HttpAnswer,
  HttpRequest,
} from "./http-request.ts";
export type { HttpOptions } from "./options.ts";
