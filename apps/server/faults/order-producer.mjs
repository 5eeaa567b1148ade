import { createKnexStorage } from "@postern/storage-knex";

// A process that stores jobs, with its own block of ids: `node order-producer.mjs <database URL>`.
// It takes `{ order, job }` and answers `{ order, id }` once the job is committed. If that failed,
// the answer has no `id`.

const { storage } = createKnexStorage({ url: process.argv[2] ?? "" });

process.on("message", ({ order, job }) => {
  storage.jobs.enqueue([job], Date.now()).then(
    ([id]) => process.send({ order, id }),
    () => process.send({ order }),
  );
});

process.send({ order: 0 });
