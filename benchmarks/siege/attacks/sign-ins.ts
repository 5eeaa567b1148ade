import type { Attack } from "../attack.ts";
import { send } from "../send.ts";

const atOnce = 64;

/** As many sign-ins at once as the queue of hashes takes, from several addresses. */
export const signIns: Attack = {
  name: "sign-ins",
  does: "64 sign-ins at once, over and over",
  requirement: "R14",
  seconds: 5,
  run: async ({ port, addresses, isOver, pause }) => {
    const statuses = new Map<number, number>();
    const lane = async (n: number): Promise<void> => {
      for (let turn = 0; !isOver(); turn += 1) {
        const body = JSON.stringify({ email: `nobody-${n}-${turn}@example.com`, password: "correct horse battery" });
        const from = addresses[n % addresses.length] ?? "";
        const { status } = await send({ port, from, method: "POST", path: "/api/v2/sessions", body });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        await pause(100);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, (_, n) => lane(n)));
    return { saw: [...statuses].map(([status, times]) => `${status} × ${times}`).join(", ") };
  },
};
