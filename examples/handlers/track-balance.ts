import { on } from "@postern/server";

interface BalanceChange {
  readonly account: bigint;
  readonly cents: bigint | number;
}

/** Follows the balance of each account, in the order in which the changes arrive. */
export const trackBalance = on<BalanceChange>(
  "demo",
  "balance.*",
  async ({ data }, { log }) => {
    log("info", "a balance changed", { account: String(data.account), cents: String(data.cents) });
  },
  {
    where: { currency: ["EUR", "USD"], "$.test": false },
    orderKey: ({ data }) => `account ${Object(data).account}`,
    integers: "bigint",
    onDead: "hold",
  },
);
