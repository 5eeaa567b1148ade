import { expect, test } from "vitest";
import { createBodyPace } from "../src/node/body-pace.ts";

const pieceBytes = 64 * 1024;

/** A pace of four pieces, and bodies that never end: each sends a piece whenever it may. */
const scene = () => {
  const pace = createBodyPace({ bytes: 4 * pieceBytes, goOn: setImmediate });
  const taken: string[] = [];
  const begin = (network: string, bytes = pieceBytes) => {
    let soFar = 0;
    let paused = false;
    const send = (): void => {
      if (paused) return;
      taken.push(network);
      soFar += bytes;
      pace.note(body, network, bytes, soFar);
    };
    const body = {
      pause: () => {
        paused = true;
        return body;
      },
      resume: () => {
        paused = false;
        send();
        return body;
      },
    } as never;
    return { send, isPaused: () => paused };
  };
  return { taken, begin };
};

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test("a turn takes a bounded part of bodies that come as fast as they can", async () => {
  const { taken, begin } = scene();
  const body = begin("a");
  for (let sent = 0; sent < 100; sent += 1) body.send();
  expect(taken.length).toBe(5);
  await nextTurn();
  for (let sent = 0; sent < 100; sent += 1) body.send();
  expect(taken.length).toBe(10);
});

test("networks take turns, however many bodies one of them sends", async () => {
  const { taken, begin } = scene();
  const greedy = Array.from({ length: 40 }, () => begin("greedy"));
  for (let round = 0; round < 2; round += 1) for (const body of greedy) body.send();
  const other = begin("other");
  for (let sent = 0; sent < 2; sent += 1) other.send();
  expect(other.isPaused()).toBe(true);
  taken.length = 0;
  await nextTurn();
  expect(taken).toContain("other");
});

test("a short body never waits, even if others have used up the turn", () => {
  const { begin } = scene();
  const greedy = begin("greedy");
  for (let sent = 0; sent < 100; sent += 1) greedy.send();
  const short = begin("other", 1_000);
  for (let sent = 0; sent < 60; sent += 1) short.send();
  expect(short.isPaused()).toBe(false);
});
