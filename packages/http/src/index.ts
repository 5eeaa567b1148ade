export type { Coding, Compressor } from "./compression/compressor.ts";
export { zlibCompressor } from "./compression/zlib-compressor.ts";
export type { Endpoint } from "./endpoints.ts";
export type { Exchange } from "./exchange.ts";
export { checkFormHead, formLimitBytes, parseForm } from "./form-body.ts";
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
export { refuseCodings } from "./media-type.ts";
export type { HttpOptions, HttpSettings } from "./options.ts";
export { bodyWasRead } from "./read-bytes.ts";
