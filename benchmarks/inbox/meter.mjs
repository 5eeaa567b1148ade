/**
 * Loaded into a measured server with `--import`. On the message "allocations" it samples the heap
 * until the next message and answers with the bytes that were allocated in between, collected ones
 * included.
 */
import { Session } from "node:inspector/promises";

const session = new Session();
session.connect();
let sampling = false;

/** @returns {number} bytes allocated below a node of the profile */
const bytesBelow = ({ selfSize, children }) => children.reduce((sum, child) => sum + bytesBelow(child), selfSize);

process.on("message", async () => {
  if (!sampling) {
    sampling = true;
    await session.post("HeapProfiler.startSampling", {
      samplingInterval: 16_384,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    });
    process.send("sampling");
    return;
  }
  sampling = false;
  const { profile } = await session.post("HeapProfiler.stopSampling");
  process.send(bytesBelow(profile.head));
});
process.channel?.unref();
