import type { VersionChange } from "@postern/rest";
import { nestField } from "@postern/rest";

export const subscriptionHasAStart: VersionChange = {
  id: "subscription-has-a-start",
  kind: "renamed",
  title: "`subscription` now includes `since`, the time its status last changed",
  why: "A status alone does not tell for how long a subscription has been past due.",
  migration: "Read and write `subscription.status` where you used `subscription_status`.",
  effects: [nestField({ resource: "user", from: "subscription_status", into: "subscription", as: "status" })],
};
