import { clock, createTurns, type Turns } from "../../../packages/http/src/admission/turns.ts";

export { clock };

/** Requests take turns. Long work runs to its end, beside other long work. */
export const turns: Turns = { ...createTurns(), long: async (_network, work) => work(() => Promise.resolve()) };
