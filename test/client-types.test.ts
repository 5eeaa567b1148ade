import { builtInVersions, createApp } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import openapiTypescript, { astToString, type OpenAPI3 } from "openapi-typescript";
import { expect, test } from "vitest";

const app = createApp({ versions: builtInVersions, ports: memoryPorts() });

/** `pnpm test -u --project workspace` writes them anew. */
test.each(app.versions.map(({ id }) => id))("the client's types of %s agree with its contract", async (version) => {
  // As everybody calls it. openapi-typescript takes a type of OpenAPI 3.1 but gives it the name of 3.0.
  const types = astToString(await openapiTypescript(app.openApi(version) as unknown as OpenAPI3));
  const banner = `// Made from contracts/${version}/openapi.json by test/client-types.test.ts.\n`;
  await expect(banner + types).toMatchFileSnapshot(`../packages/client/src/generated/${version}.ts`);
});
