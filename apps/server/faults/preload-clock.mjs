// Load it into a server with `--import`. Each line on standard input makes the server's wall clock
// (`Date`) jump by so many milliseconds. The monotonic clock does not change, as on a machine whose
// time is set.
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
