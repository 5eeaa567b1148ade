import { postern } from "./lib/postern";

// Jobs run from the start on. Nobody waits for it: while the database is away, other pages work.
const open = (): void => void postern().catch(() => setTimeout(open, 5_000));
open();

process.once("SIGTERM", async () => {
  await postern().then((opened) => opened.stop(), console.error);
  process.exit();
});
