import assert from "node:assert/strict";
import type { Wakeup } from "../ports/wakeup.ts";
import type { Contract } from "./contract.ts";

/** Some turns of the event loop; a wake-up within the process needs no more. */
const nextLoopTurns = async (): Promise<void> => {
  for (let count = 0; count < 3; count++) await new Promise((resolve) => setImmediate(resolve));
};

export const wakeupContract: Contract<Wakeup> = {
  "calls every listener": async (wakeup) => {
    const called: string[] = [];
    wakeup.subscribe(() => called.push("a"));
    wakeup.subscribe(() => called.push("b"));
    wakeup.notify();
    await nextLoopTurns();
    assert.deepEqual(called.sort(), ["a", "b"]);
  },
  "takes a notice that nobody listens to": async (wakeup) => {
    assert.equal(wakeup.notify(), undefined);
  },
  "returns from a notification at once, whatever the listeners do": async (wakeup) => {
    let called = false;
    wakeup.subscribe(() => {
      called = true;
    });
    wakeup.notify();
    assert.equal(called, false);
    await nextLoopTurns();
    assert.equal(called, true);
  },
  "calls nobody whose subscription has ended, even just now": async (wakeup) => {
    let calls = 0;
    const end = wakeup.subscribe(() => {
      calls += 1;
    });
    wakeup.notify();
    await nextLoopTurns();
    wakeup.notify();
    end();
    end();
    wakeup.notify();
    await nextLoopTurns();
    assert.equal(calls, 1);
  },
  "tells two subscriptions of one listener apart": async (wakeup) => {
    let calls = 0;
    const listener = (): void => {
      calls += 1;
    };
    const end = wakeup.subscribe(listener);
    wakeup.subscribe(listener);
    end();
    wakeup.notify();
    await nextLoopTurns();
    assert.equal(calls, 1);
  },
};
