import type { Resource } from "@postern/core";
import { contractResources } from "@postern/core/testing";
import { expect, test } from "vitest";
import { comment, post, session, user } from "../src/index.ts";

/** What a storage sees of a resource. */
const tableOf = ({ name, plural, table, fields }: Resource) => ({
  name,
  plural,
  table,
  columns: Object.fromEntries(
    Object.entries(fields).map(([field, { kind, nullable, unique, references }]) => [
      field,
      { kind, nullable, unique, to: references?.resource, onDelete: references?.onDelete },
    ]),
  ),
});

test("the resources of the contract suites have the tables of the product's own", () => {
  expect(contractResources.map(tableOf)).toEqual([user, session, post, comment].map(tableOf));
});
