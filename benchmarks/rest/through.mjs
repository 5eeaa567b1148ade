/**
 * Postern's server with the REST API on `node:http` or on Koa. Nothing else differs between the
 * two: `node through.mjs node|koa`. Settings come from the environment.
 */
import { setFlagsFromString } from "node:v8";
import { compose, readConfig } from "../../apps/server/dist/index.js";
import { createGateway } from "../../packages/http/dist/index.js";
import { createGatewayServer } from "../../packages/http/dist/node/index.js";
import { koaListener } from "../../packages/http-koa/dist/index.js";
import { eventLoopDelay } from "../../packages/platform-node/dist/index.js";

// The server does the same; see its `run-server.ts`.
setFlagsFromString("--no-allocation-site-pretenuring");
const config = readConfig(process.env, false);
const { app, telemetry, migrate, runner, close } = await compose(config, {});
await migrate();
const jobs = runner();
await jobs.start();
const gateway = createGateway(app, { telemetry, eventLoopDelayMs: eventLoopDelay().current });
const server = createGatewayServer(gateway, process.argv[2] === "koa" ? { listener: koaListener(gateway) } : {});
const { url } = await server.listen({ port: config.port, host: config.host });
console.log(`listening at ${url}`);

process.once("SIGTERM", async () => {
  await server.close({ graceMs: 1_000 });
  await jobs.stop(1_000);
  await close();
  process.exit(0);
});
