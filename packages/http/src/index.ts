export { checkFormHead, formLimitBytes, parseForm } from "./body/form-body.ts";
export type { Coding, Compressor } from "./compression/compressor.ts";
export type { Exchange } from "./exchange.ts";
export { createGateway, type Gateway } from "./gateway.ts";
export type { HttpApp } from "./http-app.ts";
export {
  type BodyReader,
  CallerGone,
  type Headers,
  type HttpAnswer,
  type HttpRequest,
  type RequestBodySource,
} from "./http-request.ts";
export type { HttpOptions, HttpSettings } from "./options.ts";
export type { Endpoint } from "./routes.ts";
