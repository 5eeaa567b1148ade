import { expect, test } from "vitest";
import { simulate } from "./simulation/simulate.ts";

const worlds = 30;

/** The same worlds each time; `pnpm simulate --from N --count M` tries new ones. */
test.each([1, 501, 1001, 1501])(
  "nothing is lost, doubled, stuck or out of order, whatever happens to processes, storage, locks and clocks: worlds from %i on",
  { timeout: 180_000 },
  async (first) => {
    for (let seed = first; seed < first + worlds; seed += 1) {
      const { violations } = await simulate(seed);
      expect(violations, `replay it with: pnpm simulate ${seed}`).toEqual([]);
    }
  },
);
