import assert from "node:assert/strict";
import { newestOf } from "@postern/rest";
import { appToRead, bearer, json, signUp } from "./app-under-test.ts";
import { assertContains, assertMatches } from "./assertions.ts";
import { type Cases, each, eachOf } from "./cases.ts";
import { expectProblem } from "./problem.ts";

const { app } = appToRead();

const bases = ["/api", ...app.versions.map(({ id }) => `/api/${id}`)];

const { operations } = newestOf(app.versions);

const samplePath = (path: string) => path.replaceAll(/\{\w+\}/g, "019a0000-0000-7000-8000-000000000000");

export const routeMessages: Cases = {
  "routes: every operation has a route in every version": async (trial) => {
    const { url } = await trial.serve({}, appToRead());
    for (const operation of operations) {
      for (const base of operation.unversioned === true ? ["/api"] : bases) {
        const path = operation.path === "/" ? base : base + samplePath(operation.path);
        const answer = await trial.fetch(url + path, { method: operation.method });
        const { code } = (await answer.json().catch(() => ({}))) as { code?: string };
        const missing = /^(route_not_found|method_not_allowed|internal_error|unknown_version)$/;
        assert.doesNotMatch(code ?? "", missing, `${operation.id} at ${path}`);
        const options = await trial.fetch(url + path, { method: "OPTIONS" });
        assert.equal(options.status, 204);
        assertContains(options.headers.get("allow")?.split(", "), operation.method);
      }
    }
  },
  "routes: every path refuses a method it does not have, and says which it has": async (trial) => {
    const { url } = await trial.serve();
    // Each sender has methods of its own: see the cases of webhooks.
    const ofRoutes = operations.filter(({ body }) => body !== "raw").map((operation) => operation.path);
    for (const path of new Set(ofRoutes)) {
      const has = operations.filter((operation) => operation.path === path).map(({ method }) => String(method));
      const missing = ["PUT", "DELETE", "PATCH", "POST"].find((method) => !has.includes(method));
      if (missing === undefined) continue;
      const answer = await trial.fetch(`${url}/api${path === "/" ? "" : samplePath(path)}`, { method: missing });
      await expectProblem(answer, "method_not_allowed");
      const allowed = answer.headers.get("allow")?.split(", ");
      for (const method of [...has, "OPTIONS"]) assertContains(allowed, method);
      assert.ok(allowed?.includes(missing) === false);
    }
  },
  "routes: an operation without a version is not below one": async (trial) => {
    const { url } = await trial.serve();
    assert.equal((await trial.fetch(`${url}/api`)).status, 200);
    await expectProblem(await trial.fetch(`${url}/api/v1`), "route_not_found");
    await expectProblem(await trial.fetch(`${url}/api/v1/problems/not_found`), "route_not_found");
  },
  ...eachOf(
    "routes: there is nothing at %s",
    [
      "/api/",
      "/api/users/",
      "/api/v2/users/me/",
      "/api//users",
      "/api/Users",
      "/api/%2575sers",
      "/api%2Fusers",
      "/api/users%2Fme",
      "/api/%C3%BCsers",
      "/api/%55sers",
      "/Api/users",
      "/api/V1/users",
      "/api/users/1/nothing",
      "/apiusers",
      "/api/v2x/users",
      "/nothing",
      "/health",
      "/health/live/",
    ],
    async (trial, path) => {
      const { url } = await trial.serve();
      const { token } = await signUp(trial, url);
      await expectProblem(await trial.fetch(url + path, { headers: bearer(token) }), "route_not_found");
    },
  ),
  ...eachOf(
    "routes: %s names a version that does not exist, and the answer lists those that do",
    ["/api/v9/users", "/api/v0/users", "/api/v9", "/api/v01/users"],
    async (trial, path) => {
      const { url } = await trial.serve();
      const problem = await expectProblem(await trial.fetch(url + path), "unknown_version");
      assert.deepEqual(problem.supported_versions, ["v1", "v2"]);
    },
  ),
  "routes: each version answers as itself and the bare path as the default one": async (trial) => {
    const { url } = await trial.serve();
    const { token } = await signUp(trial, url);
    const answers = await Promise.all(
      ["/api", "/api/v1", "/api/v2"].map(async (base) => {
        const answer = await trial.fetch(`${url}${base}/users`, { headers: bearer(token) });
        const body: unknown = await answer.json();
        return [answer.headers.get("api-version"), Array.isArray(body)];
      }),
    );
    assert.deepEqual(answers, [
      ["v1", true],
      ["v1", true],
      ["v2", false],
    ]);
  },
  "routes: the default version can be another": async (trial) => {
    const { url } = await trial.serve({ defaultVersion: "v2" });
    const answer = await trial.fetch(`${url}/api/users/me`);
    await expectProblem(answer, "unauthenticated");
    assert.equal(answer.headers.get("api-version"), "v2");
  },
  "routes: the list of versions says which is the newest and which answers without a version": async (trial) => {
    for (const options of [{}, { defaultVersion: "v2" }] as const) {
      const { url } = await trial.serve(options);
      const answer = await trial.fetch(`${url}/api`);
      const listed = await answer.json();
      const {
        latest,
        default: usual,
        versions,
      } = listed as {
        latest: string;
        default: string;
        versions: readonly { id: string; status: string }[];
      };
      assert.deepEqual([latest, usual], ["v2", "defaultVersion" in options ? options.defaultVersion : "v1"]);
      assert.equal(answer.headers.get("api-version"), usual);
      assert.deepEqual(
        versions.map(({ id, status }) => [id, status]),
        [
          ["v1", "current"],
          ["v2", "current"],
        ],
      );
    }
  },
  "routes: links stay in the requested version": async (trial) => {
    const { url } = await trial.serve();
    for (const base of bases) {
      const name = base.replaceAll("/", "-");
      const made = await trial.fetch(
        `${url}${base}/users`,
        json({ name, email: `u${name}@example.com`, password: "correct horse battery" }),
      );
      assert.equal(made.status, 201);
      assertMatches(made.headers.get("location"), new RegExp(`^${base}/users/[0-9a-f-]{36}$`));
    }
  },
  "routes: HEAD answers as GET would, without the body": async (trial) => {
    const { url } = await trial.serve({}, appToRead());
    for (const path of ["/api", "/api/v2/openapi.json", "/api/v1/docs", "/health/live", "/"]) {
      const headers = { "accept-encoding": "identity" };
      const get = await trial.fetch(url + path, { headers });
      const head = await trial.fetch(url + path, { method: "HEAD", headers });
      assert.equal(head.status, 200);
      assert.equal(head.headers.get("content-length"), String(Buffer.byteLength(await get.text())));
      assert.equal(head.headers.get("content-type"), get.headers.get("content-type"));
      assert.equal(await head.text(), "");
    }
  },
  "routes: OPTIONS says what a path takes, and which patches": async (trial) => {
    const { url } = await trial.serve();
    const item = await trial.fetch(`${url}/api/posts/1`, { method: "OPTIONS" });
    assert.equal(item.status, 204);
    assert.deepEqual(item.headers.get("allow")?.split(", ").toSorted(), [
      "DELETE",
      "GET",
      "HEAD",
      "OPTIONS",
      "PATCH",
      "PUT",
    ]);
    assert.equal(item.headers.get("accept-patch"), "application/merge-patch+json, application/json");
    const list = await trial.fetch(`${url}/api/users`, { method: "OPTIONS" });
    assert.deepEqual(list.headers.get("allow")?.split(", ").toSorted(), ["GET", "HEAD", "OPTIONS", "POST"]);
    assert.equal(list.headers.has("accept-patch"), false);
  },
  "routes: of two paths that fit, the one without a parameter is taken": async (trial) => {
    const { url } = await trial.serve();
    const answer = await trial.fetch(`${url}/api/sessions/refresh`, { method: "DELETE" });
    await expectProblem(answer, "method_not_allowed");
    assert.equal(answer.headers.get("allow"), "POST, OPTIONS");
  },
  "routes: ids are taken from the path itself, however many paths of its shape came before": async (trial) => {
    const { url } = await trial.serve();
    const { id: user, token } = await signUp(trial, url);
    const made = [];
    for (const title of ["one", "two"]) {
      const answer = await trial.fetch(
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
        const answer = await trial.fetch(`${url}${base}/posts/${id}`, { headers: bearer(token) });
        assertMatches(await answer.json(), { id, title });
        assert.equal(answer.headers.get("api-version"), base === "/api" ? "v1" : base.slice("/api/".length));
      }
    }
    const ask = (path: string) => trial.fetch(`${url}/api/v2/posts/${path}`, { headers: bearer(token) });
    await expectProblem(await ask(`${one}x`), "not_found");
    await expectProblem(await ask(`${one}${two}`), "not_found");
    await expectProblem(await ask(`${one}/${two}`), "route_not_found");
  },
  "routes: characters that need no encoding mean the same with it": async (trial) => {
    const { url, log } = await trial.serve();
    const { id, token } = await signUp(trial, url);
    const headers = bearer(token);
    const made = await trial.fetch(`${url}/api/%76%32/%70osts`, json({ title: "T", body: "." }, { headers }));
    assert.equal(made.status, 201);
    const location = made.headers.get("location") ?? "";
    assertMatches(location, /^\/api\/v2\/posts\/[0-9a-f-]{36}$/);
    const encoded = location.replaceAll("-", "%2d").replace("posts", "post%73");
    const read = await trial.fetch(url + encoded, { headers });
    assert.equal(read.status, 200);
    assert.equal(read.headers.get("api-version"), "v2");
    assertMatches(await read.json(), { title: "T" });
    const list = await trial.fetch(`${url}/%61pi/v2/users/%6De/posts?limit=1&%66ields=id%2Ctitle`, { headers });
    assertMatches(list.headers.get("link"), /^<\/api\/v2\/users\/me\/posts\?/);
    const missing = await expectProblem(await trial.fetch(`${url}/api/v2/p%6Fsts/${id}`, { headers }), "not_found");
    assert.equal(missing.instance, `/api/v2/posts/${id}`);
    assert.deepEqual(
      log.lines.slice(-3).map(({ fields }) => fields.route),
      ["/api/posts/{id}", "/api/users/{id}/posts", "/api/posts/{id}"],
    );
    for (const path of ["/%68ealth/live", "/%2Ewell%2Dknown/api%2Dcatalog", "/%2ewell-known/jwks.json"])
      assert.equal((await trial.fetch(url + path)).status, 200, path);
    await expectProblem(await trial.fetch(`${url}/api/v2/%61dmin/jobs`), "unauthenticated");
    await expectProblem(await trial.fetch(`${url}/api/v2/%61dmin/jobs`, { headers }), "forbidden");
  },
  ...eachOf(
    "routes: a path that is wrongly encoded is refused: %s",
    ["/api/%", "/api/%7", "/api/%7/users", "/api/%zz", "/api/%2%35", "/api/%2%30", "/api/%ff", "/%", "/api/%C3/users"],
    async (trial, path) => {
      const { url } = await trial.serve();
      const problem = await expectProblem(await trial.fetch(url + path), "bad_request");
      assert.equal(problem.detail, "The path is not valid percent-encoded UTF-8.");
    },
  ),
  ...each(
    "routes: a browser is led to the documentation of the default version, %s",
    [
      ["as shipped", ""],
      ["below a base path", "/tools"],
    ] as const,
    async (trial, _how, root) => {
      const { url } = await trial.serve({ basePath: root });
      const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8";
      for (const path of [`${root}/`, `${root}/api`]) {
        for (const method of ["GET", "HEAD"]) {
          const answer = await trial.fetch(url + path, { method, headers: { accept }, redirect: "manual" });
          assert.equal(answer.status, 302);
          assert.equal(answer.headers.get("location"), `${root}/api/docs`);
          assertContains(answer.headers.get("vary"), "Accept");
          assert.equal(await answer.text(), "");
        }
        for (const other of ["application/json", "*/*", ""]) {
          const answer = await trial.fetch(url + path, { headers: { accept: other } });
          assert.equal(answer.status, 200);
          assertContains(answer.headers.get("content-type"), "application/json");
          assertContains(answer.headers.get("vary"), "Accept");
        }
      }
    },
  ),
  "routes: the root says where everything is": async (trial) => {
    const { url } = await trial.serve();
    assert.deepEqual(await (await trial.fetch(url)).json(), {
      api: "/api",
      docs: "/api/docs",
      health: "/health/ready",
    });
  },
};
