import assert from "node:assert/strict";
import type { Liveness } from "../ports/liveness.ts";
import type { Contract } from "./contract.ts";

/**
 * Two processes that can see each other's locks. A real adapter needs at least two connections or
 * handles.
 */
export interface LivenessSubject {
  readonly here: Liveness;
  readonly there: Liveness;
  /**
   * Ends the process `there` without notice, or does the nearest thing: closes its connection or
   * its file.
   */
  endThere(): Promise<void>;
  /** A documented capability: false if `isHeld` always returns `undefined`. */
  readonly canTell: boolean;
}

export const livenessContract: Contract<LivenessSubject> = {
  "says that nobody holds a lock that was never taken": async ({ here, canTell }) => {
    assert.equal(await here.isHeld(1), canTell ? false : undefined);
  },
  "sees a lock from its own process and from the other": async ({ here, there, canTell }) => {
    const { release } = await there.hold(2);
    assert.equal(await here.isHeld(2), canTell ? true : undefined);
    assert.equal(await there.isHeld(2), canTell ? true : undefined);
    assert.equal(await here.isHeld(3), canTell ? false : undefined);
    await release();
  },
  "frees the lock when released, also when released twice": async ({ here, there, canTell }) => {
    const { release } = await there.hold(4);
    await release();
    await release();
    assert.equal(await here.isHeld(4), canTell ? false : undefined);
    assert.equal(await there.isHeld(4), canTell ? false : undefined);
  },
  "does not disturb a lock by looking at it": async ({ here, there, canTell }) => {
    const { release } = await there.hold(5);
    for (let look = 0; look < 5; look++) assert.equal(await here.isHeld(5), canTell ? true : undefined);
    await release();
  },
  "keeps several locks apart": async ({ here, there, canTell }) => {
    const first = await here.hold(6);
    const second = await here.hold(7);
    await first.release();
    assert.equal(await there.isHeld(6), canTell ? false : undefined);
    assert.equal(await there.isHeld(7), canTell ? true : undefined);
    await second.release();
  },
  "frees a process's locks when it ends, and only those": async ({ here, there, endThere, canTell }) => {
    const kept = await here.hold(8);
    await there.hold(9);
    await endThere();
    assert.equal(await here.isHeld(9), canTell ? false : undefined);
    assert.equal(await here.isHeld(8), canTell ? true : undefined);
    await kept.release();
  },
};
