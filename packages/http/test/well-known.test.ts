import { describe, expect, test } from "vitest";
import { expectProblem } from "./support/problem.ts";
import { makeApp, serve } from "./support/serve.ts";

describe("/.well-known/api-catalog", () => {
  test("leads to every version and what describes it (RFC 9727), and to nothing that is not there", async () => {
    const { app, url } = await serve();
    const answer = await fetch(`${url}/.well-known/api-catalog`);
    expect(answer.headers.get("content-type")).toBe(
      'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    );
    const { linkset } = (await answer.json()) as { linkset: Record<string, unknown>[] };
    const [catalog, ...versions] = linkset;
    expect(catalog).toEqual({
      anchor: "/.well-known/api-catalog",
      item: app.versions.map(({ id }) => ({ href: `/api/${id}` })),
    });
    expect(versions.map(({ anchor }) => anchor)).toEqual(app.versions.map(({ id }) => `/api/${id}`));
    const links = versions.flatMap(({ anchor: _anchor, ...relations }) =>
      Object.values(relations as Record<string, { href: string; type: string }[]>).flat(),
    );
    expect(links).toHaveLength(4 * app.versions.length);
    for (const { href, type } of links) {
      const found = await fetch(url + href);
      expect([href, found.status, found.headers.get("content-type")?.split(";")[0]]).toEqual([href, 200, type]);
    }
  });

  test("answers HEAD with its relation, OPTIONS with its methods, and nothing else", async () => {
    const { url } = await serve({ publicUrl: "https://api.example.com" });
    const head = await fetch(`${url}/.well-known/api-catalog`, { method: "HEAD" });
    expect(head.headers.get("link")).toBe('<https://api.example.com/.well-known/api-catalog>; rel="api-catalog"');
    expect(await head.text()).toBe("");
    const options = await fetch(`${url}/.well-known/api-catalog`, { method: "OPTIONS" });
    expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS"]);
    await expectProblem(await fetch(`${url}/.well-known/api-catalog`, { method: "POST" }), "method_not_allowed");
    await expectProblem(await fetch(`${url}/.well-known/openid-configuration`), "route_not_found");
  });
});

describe("/.well-known/security.txt", () => {
  test("names the contacts, for less than a year (RFC 9116)", async () => {
    const contacts = ["mailto:security@example.com", "https://example.com/security"];
    const { url } = await serve({ securityContacts: contacts, publicUrl: "https://api.example.com" });
    const answer = await fetch(`${url}/.well-known/security.txt`);
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const lines = (await answer.text()).split("\n");
    const [expires] = lines.splice(2, 1);
    expect(lines).toEqual([
      `Contact: ${contacts[0]}`,
      `Contact: ${contacts[1]}`,
      "Canonical: https://api.example.com/.well-known/security.txt",
      "",
    ]);
    const left = Date.parse(expires?.replace("Expires: ", "") ?? "") - Date.now();
    expect(left).toBeGreaterThan(60 * 86_400_000);
    expect(left).toBeLessThan(365 * 86_400_000);
  });

  test("is not there without a contact, and takes none that is no URI", async () => {
    const { url } = await serve();
    await expectProblem(await fetch(`${url}/.well-known/security.txt`), "route_not_found");
    const { app, ports } = makeApp();
    for (const contact of ["security@example.com", "http://example.com", "mailto:a\nb"]) {
      await expect(serve({ securityContacts: [contact] }, { app, ports })).rejects.toThrow("securityContacts");
    }
  });
});
