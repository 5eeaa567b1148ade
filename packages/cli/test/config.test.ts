import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { directory, postern } from "./command-line.ts";

interface Item {
  readonly name: string;
  readonly value: unknown;
  readonly secret: boolean;
  readonly origin: string;
  readonly variable: string | null;
}

const shown = async (variables: Record<string, string> = {}): Promise<ReadonlyMap<string, Item>> => {
  const { code, out, err } = await postern(["config", "show", "--json"], { variables });
  expect([code, err]).toEqual([0, ""]);
  const { items }: { items: readonly Item[] } = JSON.parse(out);
  return new Map(items.map((item) => [item.name, item]));
};

/** The names in the first column of a table of docs/configuration.md. */
const documented = (heading: string): readonly string[] => {
  const page = readFileSync(new URL("../../../docs/configuration.md", import.meta.url), "utf8");
  const rows = page.split(heading)[1]?.split("\n\n")[0] ?? "";
  return [...rows.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, names = ""]) =>
    [...names.matchAll(/`([^`]*)`/g)].map(([, name = ""]) => name),
  );
};

describe("postern config show", () => {
  test("has every setting of docs/configuration.md, and no other", async () => {
    // Those of senders (`WEBHOOK_<NAME>_SECRET`, `_PUBLIC_KEY`) are shown if they are set.
    const variables = documented("| variable | option of `openPostern` | default | what it sets |").filter(
      (name) => /^[A-Z_]+$/.test(name) && !name.startsWith("_"),
    );
    const members = documented("| member | what it sets |");
    expect([variables.length > 40, members.length > 15]).toEqual([true, true]);
    const names = [...(await shown()).keys()].map((name) => name.split(".")[0] ?? "");
    expect([...new Set(names)].toSorted()).toEqual([...variables, ...members].toSorted());
  });

  test("says where each value comes from", async () => {
    const token = join(directory, "token");
    writeFileSync(token, "a-token-of-metrics-readers\n");
    const file = join(directory, "postern.config.mjs");
    writeFileSync(
      file,
      `export default {
         limits: { sessionSeconds: 3600, rates: { "sign-up": { limit: 3, windowMs: 60000 } } },
         queues: { mail: { concurrency: 2 } },
         routes: [{ provider: "acme", type: "order.*", to: { url: "https://example.com/hook", secret: "whsec_MDEyMzQ1Njc4OWFiY2RlZg==" } }],
       };`,
    );
    const found = await shown({
      POSTERN_JOBS: "4",
      POSTERN_RETENTION_EVENTS: "10",
      POSTERN_METRICS_TOKEN_FILE: token,
      WEBHOOK_ACME_SCHEME: "github",
      WEBHOOK_ACME_SECRET: "a secret of sixteen bytes",
    });
    const place = (name: string) => {
      const { value, origin, variable } = found.get(name) ?? {};
      return [value, origin, variable];
    };
    expect(place("POSTERN_JOBS")).toEqual([4, "environment", "POSTERN_JOBS"]);
    expect(place("POSTERN_METRICS_TOKEN")).toEqual(["set", "environment", "POSTERN_METRICS_TOKEN_FILE"]);
    expect(place("POSTERN_SECRET_KEY_PREVIOUS")).toEqual(["not set", "default", null]);
    expect(place("POSTERN_JOB_LOSSES")).toEqual([3, "default", null]);
    // This default is never longer than events are kept.
    expect(place("POSTERN_RETENTION_BODIES")).toEqual([10, "default", null]);
    expect(place("POSTERN_CONFIG")).toEqual([file, "default", null]);
    expect(place("WEBHOOK_ACME_SCHEME")).toEqual(["github", "environment", "WEBHOOK_ACME_SCHEME"]);
    expect(place("limits.sessionSeconds")).toEqual([3600, "file", null]);
    expect(place("limits.sessionMostSeconds")).toEqual([7_776_000, "default", null]);
    expect(place("limits.rates.sign-up")).toEqual([{ limit: 3, windowMs: 60_000 }, "file", null]);
    expect(place("queues")).toEqual([{ mail: { concurrency: 2 } }, "file", null]);
    expect(place("routes")).toEqual([["acme order.*"], "file", null]);
    expect(place("http.maxConnections")).toEqual([null, "default", null]);
    const { out } = await postern(["config", "show"], { variables: { POSTERN_JOBS: "4" } });
    expect(out).toMatch(/^SETTING\tVALUE\tORIGIN\n/);
    expect(out).toContain("\nPOSTERN_JOBS\t4\tenvironment variable POSTERN_JOBS\n");
    expect(out).toContain("\nroutes\tacme order.*\tconfiguration file\n");
  });

  test("never shows a secret", async () => {
    const secret = "correcthorsebatterystaple";
    const key = Buffer.from(secret.padEnd(32, "!")).toString("base64");
    writeFileSync(
      join(directory, "postern.config.mjs"),
      `export default {
         providers: { github: "${secret}", acme: { scheme: "github", secret: "${secret}" } },
         routes: [{ to: { url: "https://example.com/${secret}", secret: "whsec_${key}" } }],
       };`,
    );
    const variables = {
      DATABASE_URL: `postgres://postern:${secret}@db.example/postern`,
      POSTERN_LIVENESS_URL: `postgres://postern:${secret}@db.example/postern`,
      POSTERN_SECRET_KEY: key,
      POSTERN_SECRET_KEY_PREVIOUS: key,
      POSTERN_ADMIN_EMAIL: "ada@example.com",
      POSTERN_ADMIN_PASSWORD: secret,
      POSTERN_PUBLIC_URL: "https://api.example.com",
      POSTERN_SMTP_URL: `smtp://postern:${secret}@mail.example:587`,
      POSTERN_MAIL_FROM: "no-reply@example.com",
      POSTERN_METRICS_TOKEN: secret,
      POSTERN_ALERT_URL: `https://alerts.example/${secret}`,
      WEBHOOK_STRIPE_SECRET: secret,
      WEBHOOK_PADDLE_PUBLIC_KEY: secret,
    };
    const found = await shown(variables);
    const secrets = Object.entries(variables).flatMap(([name, value]) =>
      value.includes(secret) || value === key ? [name] : [],
    );
    expect(secrets).toHaveLength(10);
    for (const name of secrets) expect(found.get(name)).toMatchObject({ value: "set", secret: true });
    expect(found.get("providers")?.value).toEqual(["github", "acme"]);
    for (const more of [[], ["--json"]]) {
      const { out } = await postern(["config", "show", ...more], { variables });
      expect(out).toContain("api.example.com");
      expect(out).not.toContain(secret);
      expect(out).not.toContain(key);
    }
  });

  test("names the faults of a configuration that is wrong", async () => {
    const { code, out, err } = await postern(["config", "show"], { variables: { POSTERN_JOBS: "many" } });
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain("POSTERN_JOBS must be");
  });
});
