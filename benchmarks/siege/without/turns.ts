import { clock, longWork, type Turns } from "../../../packages/http/src/admission/turns.ts";

export { clock, longWork };

/** Every request begins at once. */
export const createTurns = (): Turns => ({
  begin: () => undefined,
  beginHealthCheck: () => undefined,
  charge: () => undefined,
});

export const turns = createTurns();
