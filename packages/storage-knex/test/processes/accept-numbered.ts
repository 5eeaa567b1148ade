import { once } from "node:events";
import { newEvent } from "@postern/core/testing";
import { openEvents } from "../sqlite-events.ts";

/**
 * Accepts the events 0 to 9,999 of one file, in an order of its own and in batches of up to 64.
 * Begins when it is told to on standard input, so that two begin together. Prints its progress, and at the end how many of the events it was the first to accept.
 */
const [file = "", seed = "0"] = process.argv.slice(2);
const { events, close } = openEvents(file, { inLog: 700, step: 20 });
const start = Number(seed);
const stride = [7, 11, 13, 17][start % 4] ?? 7;
let taken = 0;
process.stdout.write("open\n");
await once(process.stdin, "data");
process.stdin.destroy();
for (let done = 0; done < 10_000; ) {
  const length = Math.min(1 + ((done * 31 + start) % 64), 10_000 - done);
  const batch = Array.from({ length }, (_, n) => (start * 1237 + (done + n) * stride) % 10_000);
  const outcomes = await events.accept(batch.map((n) => newEvent(`evt_${n}`)));
  taken += outcomes.filter(({ outcome }) => outcome === "accepted").length;
  done += length;
  process.stdout.write(`${done}\n`);
}
await close();
process.stdout.write(`taken ${taken}\n`);
