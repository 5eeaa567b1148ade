import { newestOf } from "@postern/rest";
import { describe, expect, test } from "vitest";
import { expectProblem } from "./support/problem.ts";
import { bearer, json, makeApp, serve, signUp } from "./support/serve.ts";

const { app } = makeApp();
const bases = ["/api", ...app.versions.map(({ id }) => `/api/${id}`)];
const { operations } = newestOf(app.versions);
const samplePath = (path: string) => path.replaceAll(/\{\w+\}/g, "019a0000-0000-7000-8000-000000000000");

describe("routes", () => {
  test("every operation has a route in every version", async () => {
    const { url } = await serve();
    for (const operation of operations) {
      for (const base of operation.unversioned === true ? ["/api"] : bases) {
        const path = operation.path === "/" ? base : base + samplePath(operation.path);
        const answer = await fetch(url + path, { method: operation.method });
        const { code } = (await answer.json().catch(() => ({}))) as { code?: string };
        expect({ id: operation.id, path, code }).not.toMatchObject({
          code: expect.stringMatching(/^(route_not_found|method_not_allowed|internal_error|unknown_version)$/),
        });
        const options = await fetch(url + path, { method: "OPTIONS" });
        expect(options.status).toBe(204);
        expect(options.headers.get("allow")?.split(", ")).toContain(operation.method);
      }
    }
  });

  test("every path refuses a method it does not have, and says which it has", async () => {
    const { url } = await serve();
    for (const path of new Set(operations.map((operation) => operation.path))) {
      const has = operations.filter((operation) => operation.path === path).map(({ method }) => String(method));
      const missing = ["PUT", "DELETE", "PATCH", "POST"].find((method) => !has.includes(method));
      if (missing === undefined) continue;
      const answer = await fetch(`${url}/api${path === "/" ? "" : samplePath(path)}`, { method: missing });
      await expectProblem(answer, "method_not_allowed");
      const allowed = answer.headers.get("allow")?.split(", ");
      expect(allowed).toEqual(expect.arrayContaining([...has, "OPTIONS"]));
      expect(allowed).not.toContain(missing);
    }
  });

  test("an operation without a version is not below one", async () => {
    const { url } = await serve();
    expect((await fetch(`${url}/api`)).status).toBe(200);
    await expectProblem(await fetch(`${url}/api/v1`), "route_not_found");
    await expectProblem(await fetch(`${url}/api/v1/problems/not_found`), "route_not_found");
  });

  test.each([
    "/api/",
    "/api/users/",
    "/api/v2/users/me/",
    "/api//users",
    "/api/Users",
    "/api/%75sers",
    "/Api/users",
    "/api/V1/users",
    "/api/users/1/nothing",
    "/apiusers",
    "/api/v2x/users",
    "/nothing",
    "/health",
    "/health/live/",
  ])("there is nothing at %s", async (path) => {
    const { url } = await serve();
    const { token } = await signUp(url);
    await expectProblem(await fetch(url + path, { headers: bearer(token) }), "route_not_found");
  });

  test.each(["/api/v9/users", "/api/v0/users", "/api/v9", "/api/v01/users"])(
    "%s is of a version there is not, and the answer says which there are",
    async (path) => {
      const { url } = await serve();
      const problem = await expectProblem(await fetch(url + path), "unknown_version");
      expect(problem.supported_versions).toEqual(["v1", "v2"]);
    },
  );

  test("each version answers as itself and the bare path as the default one", async () => {
    const { url } = await serve();
    const { token } = await signUp(url);
    const answers = await Promise.all(
      ["/api", "/api/v1", "/api/v2"].map(async (base) => {
        const answer = await fetch(`${url}${base}/users`, { headers: bearer(token) });
        const body: unknown = await answer.json();
        return [answer.headers.get("api-version"), Array.isArray(body)];
      }),
    );
    expect(answers).toEqual([
      ["v1", true],
      ["v1", true],
      ["v2", false],
    ]);
  });

  test("the default version can be another", async () => {
    const { url } = await serve({ defaultVersion: "v2" });
    const answer = await fetch(`${url}/api/users/me`);
    await expectProblem(answer, "unauthenticated");
    expect(answer.headers.get("api-version")).toBe("v2");
  });

  test("links stay in the version that was asked", async () => {
    const { url } = await serve();
    for (const base of bases) {
      const name = base.replaceAll("/", "-");
      const made = await fetch(
        `${url}${base}/users`,
        json({ name, email: `u${name}@example.com`, password: "correct horse battery" }),
      );
      expect(made.status).toBe(201);
      expect(made.headers.get("location")).toMatch(new RegExp(`^${base}/users/[0-9a-f-]{36}$`));
    }
  });

  test("HEAD answers as GET would, without the body", async () => {
    const { url } = await serve();
    for (const path of ["/api", "/api/v2/openapi.json", "/api/v1/docs", "/health/live", "/"]) {
      const get = await fetch(url + path);
      const head = await fetch(url + path, { method: "HEAD" });
      expect(head.status).toBe(200);
      expect(head.headers.get("content-length")).toBe(String(Buffer.byteLength(await get.text())));
      expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"));
      expect(await head.text()).toBe("");
    }
  });

  test("OPTIONS says what a path takes, and which patches", async () => {
    const { url } = await serve();
    const item = await fetch(`${url}/api/posts/1`, { method: "OPTIONS" });
    expect(item.status).toBe(204);
    expect(item.headers.get("allow")?.split(", ").toSorted()).toEqual([
      "DELETE",
      "GET",
      "HEAD",
      "OPTIONS",
      "PATCH",
      "PUT",
    ]);
    expect(item.headers.get("accept-patch")).toBe("application/merge-patch+json, application/json");
    const list = await fetch(`${url}/api/users`, { method: "OPTIONS" });
    expect(list.headers.get("allow")?.split(", ").toSorted()).toEqual(["GET", "HEAD", "OPTIONS", "POST"]);
    expect(list.headers.has("accept-patch")).toBe(false);
  });

  test("of two paths that fit, the one that is spelled out is taken", async () => {
    const { url } = await serve();
    const answer = await fetch(`${url}/api/sessions/refresh`, { method: "DELETE" });
    await expectProblem(answer, "method_not_allowed");
    expect(answer.headers.get("allow")).toBe("POST, OPTIONS");
  });

  test("ids are taken from the path itself, however many paths of its shape came before", async () => {
    const { url } = await serve();
    const { id: user, token } = await signUp(url);
    const made = [];
    for (const title of ["one", "two"]) {
      const answer = await fetch(
        `${url}/api/v2/users/${user}/posts`,
        json({ title, body: "." }, { headers: bearer(token) }),
      );
      made.push(((await answer.json()) as { id: string }).id);
    }
    const [one = "", two = ""] = made;
    for (const base of [...bases, ...bases]) {
      for (const [id, title] of [
        [one, "one"],
        [two, "two"],
      ]) {
        const answer = await fetch(`${url}${base}/posts/${id}`, { headers: bearer(token) });
        expect(await answer.json()).toMatchObject({ id, title });
        expect(answer.headers.get("api-version")).toBe(base === "/api" ? "v1" : base.slice("/api/".length));
      }
    }
    const ask = (path: string) => fetch(`${url}/api/v2/posts/${path}`, { headers: bearer(token) });
    await expectProblem(await ask(`${one}x`), "not_found");
    await expectProblem(await ask(`${one}${two}`), "not_found");
    await expectProblem(await ask(`%${one.charCodeAt(0).toString(16)}${one.slice(1)}`), "route_not_found");
    await expectProblem(await ask(`${one}/${two}`), "route_not_found");
  });

  test("the root says where everything is", async () => {
    const { url } = await serve();
    expect(await (await fetch(url)).json()).toEqual({ api: "/api", docs: "/api/v2/docs", health: "/health/ready" });
  });
});
