import { setTimeout as sleep } from "node:timers/promises";
import type { Attack } from "../attack.ts";
import { type Place, send } from "../send.ts";

const connectionsEach = 50;
/** A user who signs in as users do, from an address that nothing else uses. */
const userAddress = "127.0.0.101";
const userSignsInEveryMs = 500;

const signIn = (place: Place, from: string, email: string) =>
  send({
    ...place,
    from,
    method: "POST",
    path: "/api/v2/sessions",
    body: JSON.stringify({ email, password: "correct horse battery" }),
  });

/** Far more sign-ins at once than can be hashed, while one user signs in now and then. */
export const signInStorm: Attack = {
  name: "sign-in-storm",
  does: "400 connections of 8 addresses sign in without a pause, while a user elsewhere signs in twice a second",
  requirement: "R14, section 3.3",
  seconds: 5,
  accounts: 1,
  run: async ({ port, addresses, isOver, pause }) => {
    const statuses = new Map<number, number>();
    const storm = async (address: string, n: number): Promise<void> => {
      for (let turn = 0; !isOver(); turn += 1) {
        const { status } = await signIn({ port }, address, `nobody-${address}-${n}-${turn}@example.com`);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        await pause(50);
      }
    };
    await Promise.all(
      addresses.flatMap((address) => Array.from({ length: connectionsEach }, (_, n) => storm(address, n))),
    );
    return { saw: [...statuses].map(([status, count]) => `${status} × ${count}`).join(", ") };
  },
  beside: (place) => {
    const times: number[] = [];
    let refused = 0;
    let isOver = false;
    const signsIn = async (): Promise<void> => {
      await sleep(userSignsInEveryMs);
      while (!isOver) {
        const { status, ms } = await signIn(place, userAddress, "attacker-0@example.com");
        times.push(ms);
        if (status !== 200 && status !== 201) refused += 1;
        await sleep(userSignsInEveryMs);
      }
    };
    const user = signsIn();
    return {
      stop: async () => {
        isOver = true;
        await user;
        const slowest = Math.round(Math.max(0, ...times));
        return {
          saw: `the user signed in ${times.length} times, the slowest took ${slowest} ms, ${refused} refused`,
          fault: refused === 0 ? undefined : `${refused} of the user's ${times.length} sign-ins were refused`,
        };
      },
    };
  },
};
