import { builtInResources, createApp } from "@postern/app";
import { on } from "@postern/core";
import { createJobRunner, nodeCronPlan } from "@postern/job-runner";
import { nodePorts } from "@postern/platform-node";
import { createKnexStorage } from "@postern/storage-knex";
import { createVerifier } from "@postern/webhook-verifier";
import { stripe } from "@postern/webhook-verifier/schemes/stripe";

interface EmbeddedOptions {
  /** `sqlite:./data/app.db`, or `mysql://…`. */
  readonly database: string;
  /** 32 random bytes that stay the same: tokens and stored secrets depend on them. */
  readonly secretKey: Uint8Array;
  readonly stripeSecret: string;
}

/**
 * All of Postern inside another application: users, posts and comments, and a webhook inbox whose
 * handler runs in this process.
 */
export const openPostern = async ({ database, secretKey, stripeSecret }: EmbeddedOptions) => {
  const { migrate, close, ...stores } = createKnexStorage({ url: database, resources: builtInResources });
  await migrate.latest();

  const ports = { ...nodePorts({ secretKey }), ...stores, cronPlan: nodeCronPlan() };
  const app = createApp({
    ports,
    providers: [{ name: "stripe", verifier: createVerifier(stripe, { keys: stripeSecret }) }],
    handlers: [
      on("stripe", "invoice.*", async (event, { log }) => {
        log("info", "an invoice changed", { event: event.id, type: event.type });
      }),
    ],
  });

  const worker = app.worker({ name: `app:${process.pid}`, concurrency: 10 });
  const runner = createJobRunner({ worker, clock: ports.clock, wakeup: ports.wakeup, telemetry: ports.telemetry });
  await runner.start();

  /** Call it after your server has stopped accepting requests. */
  const stop = async (): Promise<void> => {
    await runner.stop(8_000);
    await app.flush();
    await close();
  };
  return { app, stop };
};
