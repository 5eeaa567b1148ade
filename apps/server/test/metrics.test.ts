import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { signRequest } from "@postern/webhook-verifier";
import { github } from "@postern/webhook-verifier/schemes/github";
import { describe, expect, test } from "vitest";
import { freePort } from "../../../test/free-port.ts";
import { eventually, startProcess, temporaryDirectory } from "./server-process.ts";

const secret = "a secret of a good length for this";

describe("the metrics of a server", () => {
  test("count 0 before anything happened, under the labels that are known at the start", async () => {
    const port = await freePort();
    const directory = temporaryDirectory();
    const route = '{ provider: "github", to: { url: "https://hooks.example/in", secret: "whsec_" + "a".repeat(32) } }';
    writeFileSync(join(directory, "postern.config.mjs"), `export default { routes: [${route}] };`);
    const server = await startProcess(directory, {
      POSTERN_METRICS_PORT: String(port),
      WEBHOOK_GITHUB_SECRET: secret,
    });
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const text = await answer.text();
    // Node has just begun to watch its event loop.
    expect(text).not.toMatch(/ nan$/im);
    for (const series of [
      'webhooks_received{provider="github",result="accepted"}',
      'webhooks_received{provider="github",result="quarantined"}',
      'webhooks_refused{provider="github",reason="signature_mismatch"}',
      'webhooks_signed_again{provider="github"}',
      "webhooks_answered",
      'jobs_ended{to="dead"}',
      'jobs_ended{to="done"}',
      "jobs_end_unwritten",
      'forwards{handler="forward:hooks.example/in",status="5xx"}',
      'forwards{handler="forward:hooks.example/in",status="circuit_open"}',
      'schedules_fired{schedule="postern.prune"}',
      'pruned{what="events"}',
      'pruned{what="rate_limits"}',
      'http_requests_refused_total{requests="webhook",reason="event_loop_delay"}',
      'http_readers_cut_total{reason="stalled"}',
      'rate_limit_faults_total{policy="sign-in"}',
      'rate_limit_faults_total{policy="kept-answers"}',
    ]) {
      expect(text).toContain(`\n${series} 0\n`);
    }
    expect(text).toMatch(/^api_deprecated_requests_total\{deprecation="[^"]+",kind="asked"\} 0$/m);
    server.kill("SIGTERM");
    expect(await server.exited).toBe(0);
  });

  test("are served on a port of their own, with values from the database", async () => {
    const port = await freePort();
    const server = await startProcess(temporaryDirectory(), {
      POSTERN_METRICS_PORT: String(port),
      WEBHOOK_GITHUB_SECRET: secret,
    });
    const { headers, body } = await signRequest(github, { keys: secret, body: '{"a":1}', type: "push", id: "d1" });
    const url = `${server.url}/api/webhooks/github`;
    expect((await fetch(url, { method: "POST", headers, body: Buffer.from(body) })).status).toBe(200);
    expect((await fetch(url, { method: "POST", headers, body: "{}" })).status).toBe(401);
    const scrape = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    await eventually(async () => (await scrape()).includes('jobs_in_state{state="done"} 1'));
    const text = await scrape();
    for (const line of [
      'webhooks_received{provider="github",result="accepted"} 1',
      'webhooks_refused{provider="github",reason="signature_mismatch"} 1',
      "inbox_commit_ms_count 1",
      "inbox_batch_events_sum 1",
      "job_run_ms_count",
      'jobs_ended{to="done"} 1',
      "runners_alive 1",
      "# TYPE database_wal_bytes gauge",
      "# TYPE process_cpu_seconds_total counter",
      'http_request_ms_count{method="POST",route="/api/webhooks/{provider}",status="200"} 1',
    ]) {
      expect(text).toContain(line);
    }
    expect(text).not.toMatch(/a secret|d1/);
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
    expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
    server.kill("SIGTERM");
    expect(await server.exited).toBe(0);
  });

  test("are by default only for this machine, require their token, and can be read until the server has stopped", async () => {
    const port = await freePort();
    const server = await startProcess(temporaryDirectory(), {
      HOST: "0.0.0.0",
      POSTERN_METRICS_PORT: String(port),
      POSTERN_METRICS_TOKEN: "a-token-of-a-good-length",
      POSTERN_DRAIN_DELAY: "1500",
    });
    const scrape = (headers: Record<string, string> = {}) => fetch(`http://127.0.0.1:${port}/metrics`, { headers });
    expect((await scrape()).status).toBe(401);
    expect((await scrape({ authorization: "Bearer a-token-of-another-sort" })).status).toBe(401);
    const token = { authorization: "Bearer a-token-of-a-good-length" };
    expect(await (await scrape(token)).text()).toContain("# TYPE");
    // This is another address of this machine. A listener on 0.0.0.0 would answer there, too.
    await expect(fetch(`http://127.0.0.2:${port}/metrics`, { headers: token })).rejects.toThrow();

    server.kill("SIGTERM");
    await eventually(async () => (await fetch(`${server.url}/health/ready`)).status === 503);
    expect((await fetch(`${server.url}/api`)).status).toBe(200);
    expect((await scrape(token)).status).toBe(200);
    expect(await server.exited).toBe(0);
    await eventually(async () => /"msg":"stopping"[\s\S]*"msg":"stopped"/.test(server.output()));
  });
});
