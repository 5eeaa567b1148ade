import type { Attack } from "../attack.ts";
import { send } from "../send.ts";

const connectionsEach = 50;
/** A user who signs in as one does, at an address that nothing else comes from. */
const userAddress = "127.0.0.101";
const userSignsInEveryMs = 500;

const signIn = (port: number, from: string, email: string) =>
  send({
    port,
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
        const { status } = await signIn(port, address, `nobody-${address}-${n}-${turn}@example.com`);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        await pause(50);
      }
    };
    const times: number[] = [];
    let refused = 0;
    const user = async (): Promise<void> => {
      await pause(userSignsInEveryMs);
      while (!isOver()) {
        const { status, ms } = await signIn(port, userAddress, "attacker-0@example.com");
        times.push(ms);
        if (status !== 200 && status !== 201) refused += 1;
        await pause(userSignsInEveryMs);
      }
    };
    await Promise.all([
      user(),
      ...addresses.flatMap((address) => Array.from({ length: connectionsEach }, (_, n) => storm(address, n))),
    ]);
    const seen = [...statuses].map(([status, count]) => `${status} × ${count}`).join(", ");
    return {
      saw: `${seen}; the user signed in ${times.length} times, the slowest took ${Math.round(Math.max(0, ...times))} ms, ${refused} refused`,
      fault: refused === 0 ? undefined : `${refused} of the user's ${times.length} sign-ins were refused`,
    };
  },
};
