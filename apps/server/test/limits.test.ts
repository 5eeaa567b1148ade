import { readFileSync } from "node:fs";
import { defaultSettings } from "@postern/app";
import { expect, test } from "vitest";
import { variableNames } from "../src/config.ts";
import { configFileFaults } from "../src/config-file.ts";
import { fileSettings } from "../src/settings/settings.ts";

const httpLimitNames = Object.keys(fileSettings.http.members);
const limitNames = Object.keys(fileSettings.limits.members).filter((name) => name !== "rates");
const rateNames = Object.keys(fileSettings.limits.members.rates.members);

/**
 * The rows of `docs/limits.md`: the bound, its default, its setting, and what happens beyond it.
 */
const rows = readFileSync(new URL("../../../docs/limits.md", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (what|bound) \| default /.test(line))
  .map((line) => line.slice(2, -2).split(" | "))
  .map(([what = "", standard = "", setting = "", ...beyond]) => ({ what, standard, setting, beyond }));

/** The places of those settings of the table that are not plain members of `limits` or `http`. */
const elsewhere =
  /^(POSTERN_[A-Z_]+(=off)?|(quotas|queues): \{.*\}|allowPrivate|blockAddresses|limitBytes|formBody|payloadBytes|defineJob)$/;

const namesIn = (setting: string): readonly string[] =>
  [...setting.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);

test("every bound has a setting and says why it is changed, or says why it is fixed", () => {
  expect(rows.length).toBeGreaterThan(50);
  for (const { what, setting, beyond } of rows) {
    expect(beyond, what).toHaveLength(1);
    expect(setting.replaceAll(/`[^`]+`/g, ""), what).toMatch(/: .{10}|^a share of /);
    if (namesIn(setting).length === 0) expect(setting, what).toMatch(/^fixed: .{10}/);
  }
});

/** Members of the file that hold settings of their own, or that an application declares in code. */
const declared =
  /^(http|limits|rates|quotas|queues|providers|routes|handlers|jobs|schedules|resources|storage|parts|authenticate|roles|versions|deprecations|meter)$/;

/** The names of the members of an object of the configuration file. `inside` puts it in its place. */
const membersOf = (inside: (given: object) => object): readonly string[] => {
  const [fault = ""] = configFileFaults(inside({ zzzzzzzzzzzz: 1 }));
  return fault.split("; there are ")[1]?.split(", ") ?? [];
};

test("the table stays short enough to be read, and the settings few enough to be known", () => {
  expect(rows.length).toBeLessThanOrEqual(122);
  const bounds = [...httpLimitNames, ...limitNames, ...rateNames];
  expect(bounds.length).toBeLessThanOrEqual(16);
  expect(variableNames.length).toBeLessThanOrEqual(66);
  const members = [
    (given: object) => given,
    (given: object) => ({ http: given }),
    (given: object) => ({ limits: given }),
    (given: object) => ({ limits: { rates: given } }),
    (given: object) => ({ quotas: { posts: given } }),
    (given: object) => ({ queues: { mail: given } }),
  ].flatMap(membersOf);
  expect(members).toEqual(expect.arrayContaining(bounds));
  expect(variableNames.length + members.length).toBeLessThanOrEqual(106);
  const values = members.filter((name) => !declared.test(name));
  expect(variableNames.length + values.length).toBeLessThanOrEqual(88);
});

test("the table and the configuration have the same settings", () => {
  const ofLimits = limitNames.map((name) => `limits.${name}`);
  const known = [...ofLimits, ...httpLimitNames, "limits.rates", ...rateNames];
  const listed = rows.flatMap(({ setting }) => namesIn(setting)).filter((name) => !elsewhere.test(name));
  expect([...new Set(listed)].toSorted()).toEqual(known.toSorted());
});

test("the table has the default of every rate", () => {
  const windows: Readonly<Record<number, string>> = {
    60000: "a minute",
    900000: "in 15 minutes",
    1800000: "in 30 minutes",
    43200000: "in 12 hours",
  };
  const told = rows.map(({ what, standard, setting, beyond }) => ({
    name: /^`limits\.rates`, `([a-z-]+)`/.exec(setting)?.[1],
    text: `${what} ${standard} ${beyond.join(" ")}`.replaceAll("in a minute", "a minute"),
  }));
  for (const [name, { limit, windowMs }] of Object.entries(defaultSettings.limits)) {
    const own = told.filter((row) => row.name === (rateNames.includes(name) ? name : undefined));
    const says = `${limit.toLocaleString("en")} ${windows[windowMs]}`;
    expect(
      own.some(({ text }) => text.includes(says)),
      `${name}: ${says}`,
    ).toBe(true);
  }
});
