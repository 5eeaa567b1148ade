import { builtInVersions, createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import { writtenOut } from "@postern/rest/internal";
import { expect, test } from "vitest";

interface Parameter {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
}
interface Path {
  readonly get?: { readonly parameters: readonly Parameter[] };
}

test.each(["v1", "v2"])("%s documents query parameters with their types, bounds and defaults", (version) => {
  const { paths } = writtenOut(createApp({ versions: builtInVersions, ports: memoryPorts() }).openApi(version)) as {
    paths: Record<string, Path>;
  };
  const parameters = Object.values(paths).flatMap(({ get }) => get?.parameters ?? []);
  const schemasOf = (name: string) => parameters.filter((one) => one.name === name).map(({ schema }) => schema);
  expect(schemasOf("limit").length).toBeGreaterThan(5);
  for (const schema of schemasOf("limit")) {
    expect(schema).toEqual({ type: "integer", format: "int32", minimum: 1, maximum: 100, default: 20 });
  }
  expect(schemasOf("total").length).toBeGreaterThan(2);
  for (const schema of schemasOf("total")) expect(schema).toEqual({ type: "boolean", default: false });
  expect(schemasOf("days")).toEqual([{ type: "integer", format: "int32", minimum: 1, maximum: 400, default: 30 }]);
});
