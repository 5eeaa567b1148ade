import { builtInDeprecations, builtInVersions, createApp } from "@postern/app";
import { decimal, defineResource, ownedBy, reference } from "@postern/core";
import { memoryPorts } from "@postern/core/memory";
import { expect, test } from "vitest";
import { amountGoes } from "../versions/amount-goes.ts";
import { v3 } from "../versions/v3.ts";

/** As the page changes it: its amount is the total. */
const invoice = defineResource({
  name: "invoice",
  plural: "invoices",
  description: "An invoice.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", description: "The user who sends it." }),
    total: decimal({ digits: 12, decimals: 2, min: 0, renamedFrom: "amount", description: "The amount to pay." }),
  },
  owner: "user_id",
  access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
});

const open = (deprecation: typeof amountGoes) =>
  createApp({
    ports: memoryPorts(),
    resources: [invoice],
    versions: [...builtInVersions, v3],
    deprecations: [...builtInDeprecations, deprecation],
  });

test("the announcement of docs/versions.md is in the documents of the versions that have the field", () => {
  const app = open(amountGoes);
  expect(JSON.stringify(app.openApi("v2"))).toContain(amountGoes.sunset);
  expect(JSON.stringify(app.openApi("v3"))).not.toContain(amountGoes.sunset);
  const gone = { version: "v2", resource: "invoice", field: "total" } as const;
  expect(() => open({ ...amountGoes, target: gone })).toThrow("v2-invoice-amount");
});
