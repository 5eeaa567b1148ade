import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type PinoTelemetry, pinoTelemetry } from "../src/index.ts";
import { metricsCatalogue } from "../src/metrics-catalogue.ts";
import { collectedLog } from "./collected-log.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

const fresh = (): PinoTelemetry => pinoTelemetry({ level: "info", format: "json", stream: collectedLog() });

/** The lines of one metric in the text. */
const linesOf = async (telemetry: PinoTelemetry, name: string): Promise<readonly string[]> =>
  (await telemetry.render())
    .split("\n")
    .filter((line) => new RegExp(`^(# \\w+ )?${name}(_bucket|_sum|_count)?[ {]`).test(line));

const namesIn = (text: string): readonly string[] => [...text.matchAll(/`([a-z_]+)`/g)].map(([, name]) => String(name));

/** The rows of the table in docs/metrics.md: names, kind and labels. */
const documented = readFileSync(join(root, "docs/metrics.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .flatMap((line) => {
    const [, names = "", kind = "", labels = ""] = line.split("|").map((cell) => cell.trim());
    return namesIn(names).map((name) => ({ name, kind, labels: namesIn(labels) }));
  });

/** The sources of every package in a folder. */
const sourcesIn = (folder: string): readonly string[] =>
  readdirSync(join(root, folder)).flatMap((name) => {
    const sources = join(root, folder, name, "src");
    return readdirSync(sources, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts") && !path.startsWith("testing/"))
      .map((path) => readFileSync(join(sources, path), "utf8"));
  });

describe("the metrics of the documentation", () => {
  test("are those of the catalogue, with their kinds and labels", () => {
    expect(documented.length).toBeGreaterThan(40);
    const declared = Object.entries(metricsCatalogue).map(([name, { kind, labels }]) => ({ name, kind, labels }));
    const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
    expect(declared.sort(byName)).toEqual(documented.toSorted(byName));
  });

  test("are all present before anything happened, with help and type, and there are no others", async () => {
    const text = await fresh().render();
    for (const { name, kind, labels } of documented) {
      expect(text).toMatch(new RegExp(`^# HELP ${name} \\S.*\\n# TYPE ${name} ${kind}$`, "m"));
      if (labels.length > 0 || name === "database_free_bytes") continue;
      expect(text).toContain(kind === "histogram" ? `\n${name}_count 0\n` : `\n${name} 0\n`);
    }
    const present = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name ?? "");
    const known = new Set(documented.map(({ name }) => name));
    expect(present.filter((name) => !known.has(name) && !/^(process|nodejs)_/.test(name))).toEqual([]);
  });

  test("are all that the sources measure", () => {
    const sources = [...sourcesIn("packages"), ...sourcesIn("apps")];
    const measured = sources.flatMap((text) =>
      [...text.matchAll(/\btelemetry\??\.(?:count|gauge|observe)\(\s*"(\w+)"/g)].map(([, name]) => String(name)),
    );
    expect(new Set(measured)).toEqual(new Set(documented.map(({ name }) => name)));
  });
});

describe("the text of the metrics", () => {
  test("has counters, gauges, and histograms with the bounds that dashboards know", async () => {
    const telemetry = fresh();
    telemetry.count("orders_total", { outcome: "done", kind: 'a"b\\c\nd' });
    telemetry.count("orders_total", { kind: 'a"b\\c\nd', outcome: "done" }, 2);
    telemetry.gauge("jobs_waiting", 7, { queue: "default" });
    telemetry.gauge("jobs_waiting", 5, { queue: "default" });
    telemetry.observe("job_run_ms", 3);
    telemetry.observe("job_run_ms", 70_000);
    telemetry.observe("http_request_ms", 2, { method: "GET", route: "/api", status: "200" });
    expect((await linesOf(telemetry, "orders_total")).slice(1)).toEqual([
      "# TYPE orders_total counter",
      'orders_total{outcome="done",kind="a\\"b\\\\c\\nd"} 3',
    ]);
    expect(await linesOf(telemetry, "jobs_waiting")).toContain('jobs_waiting{queue="default"} 5');
    expect(await linesOf(telemetry, "http_request_ms")).toContain(
      'http_request_ms_count{method="GET",route="/api",status="200"} 1',
    );
    expect((await linesOf(telemetry, "job_run_ms")).join("\n")).toMatchInlineSnapshot(`
      "# HELP job_run_ms How long handlers run.
      # TYPE job_run_ms histogram
      job_run_ms_bucket{le="1"} 0
      job_run_ms_bucket{le="2.5"} 0
      job_run_ms_bucket{le="5"} 1
      job_run_ms_bucket{le="10"} 1
      job_run_ms_bucket{le="25"} 1
      job_run_ms_bucket{le="50"} 1
      job_run_ms_bucket{le="100"} 1
      job_run_ms_bucket{le="250"} 1
      job_run_ms_bucket{le="500"} 1
      job_run_ms_bucket{le="1000"} 1
      job_run_ms_bucket{le="2500"} 1
      job_run_ms_bucket{le="5000"} 1
      job_run_ms_bucket{le="10000"} 1
      job_run_ms_bucket{le="30000"} 1
      job_run_ms_bucket{le="60000"} 1
      job_run_ms_bucket{le="+Inf"} 2
      job_run_ms_sum 70003
      job_run_ms_count 2"
    `);
  });

  test.each([
    ["work_seconds", [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]],
    ["work_bytes", [256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304]],
    ["work_events", [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000, 100_000]],
  ])("has the bounds of the unit in which %s ends", async (name, bounds) => {
    const telemetry = fresh();
    telemetry.observe(name, 1);
    const text = (await linesOf(telemetry, name)).join("\n");
    expect([...text.matchAll(/le="([^+"]+)"/g)].map(([, bound]) => Number(bound))).toEqual(bounds);
  });

  test("leaves out what Prometheus would not take", async () => {
    const telemetry = fresh();
    telemetry.count("bad name");
    telemetry.count("jobs_lease_lost", {}, -1);
    telemetry.count("jobs_lease_lost", {}, Number.NaN);
    telemetry.observe("job_run_ms", Number.POSITIVE_INFINITY);
    telemetry.gauge("runners_alive", Number.NaN);
    telemetry.count("twice");
    telemetry.observe("twice", 1);
    telemetry.observe("pages", 1, { le: "5", overflow: "no", kind: "short" });
    expect(await telemetry.render()).not.toContain("bad name");
    expect(await linesOf(telemetry, "jobs_lease_lost")).toContain("jobs_lease_lost 0");
    expect(await linesOf(telemetry, "job_run_ms")).toContain("job_run_ms_count 0");
    expect(await linesOf(telemetry, "runners_alive")).toContain("runners_alive 0");
    expect(await linesOf(telemetry, "pages")).toContain('pages_count{kind="short"} 1');
    expect((await linesOf(telemetry, "twice")).slice(1)).toEqual(["# TYPE twice counter", "twice 1"]);
  });

  test("begins with 0 for labels that were counted 0 times", async () => {
    const telemetry = fresh();
    telemetry.count("jobs_ended", { to: "dead" }, 0);
    expect(await linesOf(telemetry, "jobs_ended")).toContain('jobs_ended{to="dead"} 0');
  });

  test("has one series for equal labels in any order, and leaves out labels that the metric does not have", async () => {
    const telemetry = fresh();
    telemetry.count("forwards", { handler: "1", status: "2" });
    telemetry.count("forwards", { status: "2", handler: "1" });
    telemetry.count("forwards", { handler: "1", status: "2", other: "3" });
    telemetry.count("forwards", { handler: "1" });
    expect((await linesOf(telemetry, "forwards")).slice(2)).toEqual([
      'forwards{handler="1",status="2"} 3',
      'forwards{handler="1"} 1',
    ]);
  });

  test("stays small when a label holds an id or a long text", async () => {
    const telemetry = fresh();
    telemetry.count("pruned", { what: "w".repeat(1_000_000) });
    for (let id = 1; id < 5_000; id++) telemetry.count("pruned", { what: String(id) });
    const lines = (await linesOf(telemetry, "pruned")).slice(2);
    expect(lines).toHaveLength(1_001);
    expect(lines[0]).toBe(`pruned{what="${"w".repeat(128)}"} 1`);
    expect(lines.at(-1)).toBe('pruned{overflow="true"} 4000');
  });

  test("has the metrics of the process and of Node once, with numbers only", async () => {
    const [text] = await Promise.all([fresh().render(), fresh().render()]);
    for (const name of [
      "process_cpu_seconds_total",
      "process_resident_memory_bytes",
      "process_start_time_seconds",
      "nodejs_eventloop_lag_p99_seconds",
      "nodejs_heap_size_used_bytes",
      "nodejs_active_resources_total",
      "nodejs_gc_duration_seconds",
    ]) {
      expect(text.match(new RegExp(`^# TYPE ${name} `, "gm"))).toHaveLength(1);
    }
    // No time has passed since the last reading, so there was no delay to measure.
    expect(text).not.toMatch(/ nan$/im);
  });
});
