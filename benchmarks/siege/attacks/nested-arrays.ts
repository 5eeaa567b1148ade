import type { Attack } from "../attack.ts";
import { send } from "../send.ts";

const atOnce = 20;
const bytes = 1_000_000;

/**
 * A body of an allowed size that costs a hundred times as much as its size suggests: nothing but
 * brackets.
 */
export const nestedArrays: Attack = {
  name: "nested-arrays",
  does: "20 connections send 1 MB of nested arrays, again and again",
  requirement: "R15, section 5.1",
  seconds: 5,
  accounts: 8,
  run: async ({ port, accounts, isOver }) => {
    const body = `{"title":[${"[],".repeat(bytes / 3)}[]]}`;
    const statuses = new Map<number, number>();
    const lane = async (n: number): Promise<void> => {
      const account = accounts[n % accounts.length];
      while (account !== undefined && !isOver()) {
        const { status } = await send({
          port,
          from: account.address,
          method: "POST",
          path: `/api/v2/users/${account.id}/posts`,
          headers: { authorization: account.authorization },
          body,
        });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, (_, n) => lane(n)));
    return { saw: [...statuses].map(([status, times]) => `${status} × ${times}`).join(", ") };
  },
};
