/**
 * A server whose application never answers, so that requests wait. It runs as a child process, sends
 * its port, and for each message its resident memory in bytes.
 */
import type { HttpApp } from "@postern/http";
import { createGatewayServer } from "@postern/http/node";
import { gatewayWith } from "../../packages/http/src/gateway.ts";
import { settingsOf } from "../../packages/http/src/options.ts";
import { makeApp } from "../../packages/http/src/testing/app-under-test.ts";

const app: HttpApp = { ...makeApp().app, handle: () => new Promise(() => undefined) };
const gateway = gatewayWith(app, settingsOf({}));
const { port } = await createGatewayServer(gateway, { keepAliveTimeoutMs: 600_000 }).listen();
process.on("message", () => {
  globalThis.gc?.();
  process.send?.(process.memoryUsage.rss());
});
process.send?.({ port });
