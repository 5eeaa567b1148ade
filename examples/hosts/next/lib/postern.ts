import { openPostern, type Postern } from "postern";
import { options } from "./options";

// Next.js bundles this file several times. All copies share one Postern.
const shared: { postern?: Promise<Postern> | undefined } = Object(globalThis);
// `next dev` loads this file anew after a change. The Postern that is open then has the old options.
let isOld = process.env.NODE_ENV === "development";

export const postern = (): Promise<Postern> => {
  if (shared.postern !== undefined && !isOld) return shared.postern;
  const opening = Promise.resolve(shared.postern).then(async (old) => {
    await old?.stop({ quietMs: 0 });
    return openPostern(options);
  });
  isOld = false;
  shared.postern = opening;
  opening.catch(() => (shared.postern = undefined)); // the next call tries again
  return opening;
};
