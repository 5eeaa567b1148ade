export {
  type Client,
  type ClientOf,
  type ClientOptions,
  clientOf,
  createClient,
  type Version,
} from "./create-client.ts";
export type { DeprecationNotice } from "./deprecation-notice.ts";
export { etagOf } from "./etag-of.ts";
export { items } from "./items.ts";
export { signIn } from "./sign-in.ts";
