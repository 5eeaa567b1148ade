import { allParts, resourcesOfParts } from "@postern/app";
import { copyDatabase } from "../../src/index.ts";

/** Copies a database, and kills itself when a table has made so many steps in a phase. */
const [, , from = "", to = "", wantedPhase, wantedTable, steps = "0"] = process.argv;
let done = 0;
await copyDatabase({
  from,
  to,
  resources: resourcesOfParts(allParts),
  onProgress: ({ phase, table }) => {
    if (phase === wantedPhase && table === wantedTable) done += 1;
    if (done === Number(steps)) process.kill(process.pid, "SIGKILL");
  },
});
