import assert from "node:assert/strict";
import { appToRead } from "./app-under-test.ts";
import type { Cases } from "./cases.ts";
import { expectProblem } from "./problem.ts";

export const wellKnownMessages: Cases = {
  "/.well-known/api-catalog: leads to every version and its descriptions (RFC 9727), and only to what exists": async (
    trial,
  ) => {
    const { app, url } = await trial.serve({}, appToRead());
    const answer = await trial.fetch(`${url}/.well-known/api-catalog`);
    assert.equal(
      answer.headers.get("content-type"),
      'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    );
    const { linkset } = (await answer.json()) as { linkset: Record<string, unknown>[] };
    const [catalog, ...versions] = linkset;
    assert.deepEqual(catalog, {
      anchor: "/.well-known/api-catalog",
      item: app.versions.map(({ id }) => ({ href: `/api/${id}` })),
    });
    assert.deepEqual(
      versions.map(({ anchor }) => anchor),
      app.versions.map(({ id }) => `/api/${id}`),
    );
    const links = versions.flatMap(({ anchor: _anchor, ...relations }) =>
      Object.values(relations as Record<string, { href: string; type: string }[]>).flat(),
    );
    assert.equal(links.length, 4 * app.versions.length);
    for (const { href, type } of links) {
      const found = await trial.fetch(url + href);
      assert.deepEqual([href, found.status, found.headers.get("content-type")?.split(";")[0]], [href, 200, type]);
    }
  },
  "/.well-known/api-catalog: answers HEAD with its relation, OPTIONS with its methods, and nothing else": async (
    trial,
  ) => {
    const { url } = await trial.serve({ publicUrl: "https://api.example.com" });
    const head = await trial.fetch(`${url}/.well-known/api-catalog`, { method: "HEAD" });
    assert.equal(head.headers.get("link"), '<https://api.example.com/.well-known/api-catalog>; rel="api-catalog"');
    assert.equal(await head.text(), "");
    const options = await trial.fetch(`${url}/.well-known/api-catalog`, { method: "OPTIONS" });
    assert.deepEqual([options.status, options.headers.get("allow")], [204, "GET, HEAD, OPTIONS"]);
    await expectProblem(await trial.fetch(`${url}/.well-known/api-catalog`, { method: "POST" }), "method_not_allowed");
    await expectProblem(await trial.fetch(`${url}/.well-known/openid-configuration`), "route_not_found");
  },
  "/.well-known/security.txt: names the contacts, for less than a year (RFC 9116)": async (trial) => {
    const contacts = ["mailto:security@example.com", "https://example.com/security"];
    const { url } = await trial.serve({ securityContacts: contacts, publicUrl: "https://api.example.com" });
    const answer = await trial.fetch(`${url}/.well-known/security.txt`);
    assert.equal(answer.headers.get("content-type"), "text/plain; charset=utf-8");
    const lines = (await answer.text()).split("\n");
    const [expires] = lines.splice(2, 1);
    assert.deepEqual(lines, [
      `Contact: ${contacts[0]}`,
      `Contact: ${contacts[1]}`,
      "Canonical: https://api.example.com/.well-known/security.txt",
      "",
    ]);
    const left = Date.parse(expires?.replace("Expires: ", "") ?? "") - Date.now();
    assert.ok(left > 60 * 86_400_000);
    assert.ok(left < 365 * 86_400_000);
  },
  "/.well-known/security.txt: is not there without a contact": async (trial) => {
    const { url } = await trial.serve();
    await expectProblem(await trial.fetch(`${url}/.well-known/security.txt`), "route_not_found");
  },
};
