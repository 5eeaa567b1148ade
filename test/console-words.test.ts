import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const sources = fileURLToPath(new URL("../apps/console/src", import.meta.url));

const files = readdirSync(sources, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path) && path !== "format.ts")
  .map((path) => ({ path, lines: readFileSync(join(sources, path), "utf8").split("\n") }));

/** Everything that makes a number or a time a text. */
const formatting =
  /\.(?:toLocale\w*|toFixed|toPrecision|toExponential|to(?:ISO|UTC|GMT|Date|Time)String|get(?:UTC)?(?:Date|Day|Month|FullYear|Hours|Minutes|Seconds|Milliseconds)|getTimezoneOffset)\(|\bIntl\b|\bnew Date\(/;

test("numbers and times of the console come from one file", () => {
  const found = files.flatMap(({ path, lines }) =>
    lines.flatMap((line, at) => (formatting.test(line) ? [`${path}:${at + 1} ${line.trim()}`] : [])),
  );
  expect(found).toEqual([]);
});
