import { clock, type Turns } from "../../../packages/http/src/admission/turns.ts";

export { clock };

/** Every request begins at once, and every piece of long work runs to its end. */
export const createTurns = (): Turns => ({
  begin: () => undefined,
  beginHealthCheck: () => undefined,
  charge: () => undefined,
  long: async (_network, work) => work(() => Promise.resolve()),
});

export const turns = createTurns();
