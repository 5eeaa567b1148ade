/**
 * `@postern/testing`: Postern inside a test. Everything is in memory unless you name a database, and
 * the clock stands still until you move it.
 */
export type { Delivered, DeliverOptions, SentEvent } from "./deliver.ts";
export type { Answered, TestClient, TestUser } from "./test-client.ts";
export { type TestOptions, type TestPostern, testPostern } from "./test-postern.ts";
export type { OutboundCall, WentOut } from "./went-out.ts";
