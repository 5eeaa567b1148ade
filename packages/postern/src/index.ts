/**
 * `postern`: a durable webhook inbox and a REST API inside your own Node application, in ten lines.
 * It has all of `@postern/server` as well, so that one import is enough.
 */
export * from "@postern/server";
export { openPostern, type Postern, type PosternOptions } from "./open-postern.ts";
