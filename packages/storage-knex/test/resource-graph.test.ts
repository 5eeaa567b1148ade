import type { Resource } from "@postern/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { resourceGraph } from "../src/stores/resource-graph.ts";

/** Resources `r0`, `r1` and so on, and to which others each refers. */
const resourcesOf = (targets: readonly (readonly number[])[]): Map<string, Resource> =>
  new Map(
    targets.map((to, number) => {
      const fields = {
        id: {},
        ...Object.fromEntries(to.map((target) => [`to_${target}`, { references: { resource: `r${target}` } }])),
      };
      return [`r${number}`, { name: `r${number}`, table: `t${number}`, fields } as unknown as Resource];
    }),
  );

/** What `canMark` promises, from the pairs of resources of which one leads to the other. */
const markableByDefinition = (targets: readonly (readonly number[])[]): readonly boolean[] => {
  const leads = targets.map((to) => new Set(to));
  for (const middle of leads.keys())
    for (const from of leads) if (from.has(middle)) for (const to of leads[middle] ?? []) from.add(to);
  const meetsCircle = leads.map((to, number) => to.has(number) || [...to].some((each) => leads[each]?.has(each)));
  return leads.map(
    (_, number) => !meetsCircle.some((meets, from) => meets && (from === number || leads[from]?.has(number))),
  );
};

test("a row may be marked as deleted unless a circle is above it or above what is below it", () => {
  const most = 7;
  const graphs = fc.array(fc.uniqueArray(fc.nat(most - 1), { maxLength: 2 }), { minLength: most, maxLength: most });
  fc.assert(
    fc.property(graphs, (targets) => {
      const resources = resourcesOf(targets);
      const { canMark } = resourceGraph(resources);
      expect([...resources.values()].map(canMark)).toEqual(markableByDefinition(targets));
    }),
    { numRuns: 500 },
  );
});
