import { builtInVersions, createApp, type Settings } from "@postern/app";
import { memoryPorts } from "@postern/core/memory";
import {
  type Deprecation,
  type Effect,
  removeEndpoint,
  renameEndpoint,
  requireHeader,
  tableEntry,
  type VersionDefinition,
} from "@postern/rest";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const versionsWith = (...effects: readonly Effect[]): readonly VersionDefinition[] => [
  ...builtInVersions,
  {
    id: "v3",
    released: "2026-11-22",
    changes: [{ id: "the-change", kind: "changed", title: "It.", why: "Why.", migration: "How.", effects }],
  },
];

const old = (id: string, path: string) =>
  tableEntry({
    id,
    method: "GET",
    path,
    access: "public",
    summary: "Old",
    tag: "old",
    success: { status: 200, description: "It.", body: z.object({}) },
    handle: async () => ({ status: 200, body: {} }),
  });

const ui = { files: [], environment: "test" };

describe("a version of an application", () => {
  test.each<readonly [why: string, effect: Effect, touched: string]>([
    ["moves a path of operators", renameEndpoint({ from: "/alerts", to: "/admin/queues" }), "/admin/queues"],
    ["puts an older path there", renameEndpoint({ from: "/admin/articles", to: "/posts" }), "/admin/articles"],
    ["brings back an operation there", removeEndpoint(old("old", "/admin/old")), "old"],
    ["names one as operators do", removeEndpoint(old("admin.old", "/old")), "admin.old"],
    [
      "changes one by hand",
      { on: "operations", down: (one) => (one.id === "admin.health" ? { ...one, summary: "Else" } : one) },
      "admin.health",
    ],
  ])("that %s is refused at the start", (_why, effect, touched) => {
    expect(() => createApp({ ports: memoryPorts(), versions: versionsWith(effect) })).toThrow(
      `version v3, change "the-change": ${touched} belongs to the operators' part, whose versions are Postern's own; leave it out`,
    );
  });

  test.each<readonly [why: string, effect: Effect]>([
    ["requires a header everywhere", requireHeader("if-match")],
    ["moves a path of its own", renameEndpoint({ from: "/articles", to: "/posts" })],
    ["brings back an operation of its own", removeEndpoint(old("old", "/old"))],
  ])("that %s is taken", (_why, effect) => {
    expect(createApp({ ports: memoryPorts(), versions: versionsWith(effect) }).versions.at(-1)?.id).toBe("v3");
  });
});

describe("a sunset of the newest version", () => {
  const ending = (target: Deprecation["target"]): Deprecation => ({
    id: "it-ends",
    target,
    announced: "2026-11-22",
    deprecated: "2026-11-22",
    sunset: "2027-11-22",
    replacement: { version: "v3" },
    reason: "It is old.",
    migration: "Use v3.",
  });
  const made = (target: Deprecation["target"], settings: Partial<Settings>) => () =>
    createApp({ ports: memoryPorts(), versions: builtInVersions, deprecations: [ending(target)], settings });
  const sentence =
    'deprecation "it-ends": the console uses v2, the newest version, and would end with it; release a newer version first, or switch the console off';

  test("is refused at the start while the console is on, and so is that of an operation of operators", () => {
    const enforced = { enforceSunsets: "on", console: ui } as const;
    expect(made({ version: "v2" }, enforced)).toThrow(sentence);
    expect(made({ version: "v2", operation: "admin.me" }, enforced)).toThrow(sentence);
    expect(made({ version: "v1" }, enforced)).not.toThrow();
    expect(made({ version: "v2", operation: "posts.list" }, enforced)).not.toThrow();
    expect(made({ version: "v2" }, { enforceSunsets: "on" })).not.toThrow();
    expect(made({ version: "v2" }, { console: ui })).not.toThrow();
  });
});
