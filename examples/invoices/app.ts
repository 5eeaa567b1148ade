import { builtInResources, createApp } from "@postern/app";
import { koaMiddleware } from "@postern/http-koa";
import { nodeCronPlan } from "@postern/jobs/node-cron";
import { nodePorts, pinoTelemetry } from "@postern/platform-node";
import { createKnexStorage } from "@postern/storage-knex";
import Koa from "koa";
import { invoice } from "./invoice.ts";

/** A Koa app of your own with Postern in front: `/api` is Postern's, every other path is yours. */
export const openInvoices = async (databaseUrl: string, secretKey: Uint8Array) => {
  const resources = [invoice];
  const { migrate, close, ...stores } = createKnexStorage({
    url: databaseUrl,
    resources: [...builtInResources, ...resources],
  });
  await migrate.latest();

  const telemetry = pinoTelemetry({ level: "warn", format: "json" });
  const ports = { ...nodePorts({ secretKey, telemetry }), ...stores, cronPlan: nodeCronPlan() };
  const app = createApp({ resources, ports });

  const koa = new Koa();
  koa.use(koaMiddleware(app, { telemetry }));
  koa.use((context) => {
    context.body = "Your own page.";
  });
  return { koa, close };
};
