import { readFileSync } from "node:fs";
import { defaultSettings } from "@postern/app";
import { expect, test } from "vitest";
import { httpLimitNames, limitNames, rangedLimits } from "../src/limit-names.ts";

/**
 * The rows of `docs/limits.md`: the bound, its default, its setting, and what happens beyond it.
 */
const rows = readFileSync(new URL("../../../docs/limits.md", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (what|bound) /.test(line))
  .map((line) => line.slice(2, -2).split(" | "))
  .map(([what = "", standard = "", setting = "", ...beyond]) => ({ what, standard, setting, beyond }));

/** The places of those settings of the table that are not plain members of `limits` or `http`. */
const elsewhere =
  /^(POSTERN_[A-Z_]+(=off)?|(quotas|queues): \{.*\}|allowPrivate|blockAddresses|limitBytes|formBody|payloadBytes|defineJob)$/;

const namesIn = (setting: string): readonly string[] =>
  [...setting.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);

test("every bound has a setting, or says why it is fixed", () => {
  expect(rows.length).toBeGreaterThan(50);
  for (const { what, setting, beyond } of rows) {
    expect(beyond, what).toHaveLength(1);
    if (namesIn(setting).length === 0) expect(setting, what).toMatch(/^fixed: .{10}/);
  }
});

test("the table and the configuration have the same settings", () => {
  const rates = Object.keys(defaultSettings.limits);
  const ofLimits = [...limitNames, ...Object.keys(rangedLimits)].map((name) => `limits.${name}`);
  const known = [...ofLimits, ...httpLimitNames, "limits.rates", ...rates];
  const listed = rows.flatMap(({ setting }) => namesIn(setting)).filter((name) => !elsewhere.test(name));
  expect([...new Set(listed)].toSorted()).toEqual(known.toSorted());
});

test("the table says the least and the greatest value of each setting that has them", () => {
  const told = rows.flatMap(({ setting }) =>
    [...setting.matchAll(/`limits\.([A-Za-z]+)`, ([\d,]+) to ([\d,]+)/g)].map(([, name = "", ...values]) => [
      name,
      values.map((text) => Number(text.replaceAll(",", ""))),
    ]),
  );
  const ranges = Object.entries(rangedLimits).map(([name, { least, most }]) => [name, [least, most]]);
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(ranges));
});

test("the rates of the table are the defaults", () => {
  const windows: Readonly<Record<string, number>> = {
    "a minute": 60_000,
    "in a minute": 60_000,
    "in 15 minutes": 900_000,
    "in 30 minutes": 1_800_000,
    "in 12 hours": 43_200_000,
  };
  const told = rows.flatMap(({ standard, setting }) => {
    const [, name] = /^`limits\.rates`, `(.+)`$/.exec(setting) ?? [];
    const [, limit = "", window = ""] = /^([\d,]+) ([^,]+)(, then .+)?$/.exec(standard) ?? [];
    return name === undefined ? [] : [[name, { limit: Number(limit.replace(",", "")), windowMs: windows[window] }]];
  });
  expect(Object.fromEntries(told)).toEqual(defaultSettings.limits);
});
