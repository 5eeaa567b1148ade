export { type Client, type ClientOptions, createClient, type Version } from "./create-client.ts";
export type { DeprecationNotice } from "./deprecation-notice.ts";
export { etagOf } from "./etag-of.ts";
export { items, type PageResult } from "./items.ts";
export { type SignedIn, type SignInOptions, signIn } from "./sign-in.ts";
