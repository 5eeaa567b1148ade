import { type LongWork, longBytes } from "../../../packages/rest/src/limits/long-work.ts";
import { finish } from "../../../packages/rest/src/limits/steps.ts";

export { longBytes };

/** Work runs to its end in one turn of the event loop. */
export const createLongWork = (): LongWork => ({ finish: async (_network, steps) => finish(steps) });
