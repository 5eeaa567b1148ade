export { type FetchContext, type FetchHandler, fetchHandler, gatewayFetch } from "./fetch-handler.ts";
