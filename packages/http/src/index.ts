export { checkFormHead, formLimitBytes, parseForm } from "./body/form-body.ts";
export { bodyWasRead } from "./body/read-bytes.ts";
export type { Coding, Compressor } from "./compression/compressor.ts";
export { zlibCompressor } from "./compression/compressor.ts";
export type { Exchange } from "./exchange.ts";
export { createGateway, type Gateway } from "./gateway.ts";
export { refuseCodings } from "./head/media-type.ts";
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
