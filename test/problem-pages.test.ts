import { builtInVersions, createApp } from "@postern/app";
import { errorCatalogue } from "@postern/core/internal";
import { memoryPorts } from "@postern/core/memory";
import { fetchHandler } from "@postern/http/fetch";
import { expect, test } from "vitest";

const get = async (path: string, accept = "*/*") => {
  const answer = await fetchHandler(createApp({ versions: builtInVersions, ports: memoryPorts() }))(
    new Request(`http://test${path}`, { headers: { accept } }),
  );
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

/** The headers that a browser sends for a page. */
const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

test("the type of a problem leads a browser to a page that says what happened, why, and how to mend it", async () => {
  const problem = JSON.parse((await get("/api/v2/users/me")).text);
  const { status, headers, text } = await get(problem.type, browser);
  expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(headers.get("content-security-policy")).toContain("default-src 'none'");
  const { title, why } = errorCatalogue.unauthenticated;
  for (const part of [`<h1>${title}</h1>`, why, "<code>POST /sessions</code>", "How to mend it"]) {
    expect(text).toContain(part);
  }
  expect(text).not.toContain("<script");
});

test("the same page exists as JSON and as Markdown", async () => {
  const facts = errorCatalogue.conflict;
  expect(JSON.parse((await get("/api/problems/conflict")).text)).toEqual({ code: "conflict", ...facts });
  const written = `# ${facts.title}\n\n\`conflict\`, status 409\n\n## Why\n\n${facts.why}\n\n## How to mend it\n\n${facts.mend}\n`;
  for (const markdown of [
    await get("/api/problems/conflict?format=markdown"),
    await get("/api/problems/conflict", "text/markdown"),
  ]) {
    expect(markdown.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(markdown.text).toBe(written);
  }
});

test("every code has its own sentences about why and how", () => {
  const facts = Object.values(errorCatalogue);
  for (const { why, mend } of facts) {
    for (const text of [why, mend]) expect(text).toMatch(/^[A-Z`].{20,}\.$/);
  }
  expect(new Set(facts.map(({ why }) => why)).size).toBe(facts.length);
});

test("a code that does not exist has no page", async () => {
  expect((await get("/api/problems/nothing", browser)).status).toBe(404);
});
