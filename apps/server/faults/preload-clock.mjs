// Loaded into a server by `--import`: its wall clock, `Date` and all, jumps by as many milliseconds as each line on standard input says. The monotonic
// clock goes on as it is, which is what a machine does whose time is set.
import { createInterface } from "node:readline";

const RealDate = Date;
let offset = Number(process.env.FAULT_CLOCK_OFFSET_MS ?? 0);

globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [RealDate.now() + offset] : given));
  }
  static now() {
    return RealDate.now() + offset;
  }
};

createInterface({ input: process.stdin }).on("line", (line) => {
  offset += Number(line);
});
process.stdin.unref?.();
