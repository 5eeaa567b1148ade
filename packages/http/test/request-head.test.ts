import { describe, expect, test } from "vitest";
import { expectProblem } from "./support/problem.ts";
import { lines, raw } from "./support/raw.ts";
import { bearer, json, makeApp, serve, signUp } from "./support/serve.ts";

describe("request id", () => {
  test("a fit id of the caller's is kept, on success and on error", async () => {
    const { url } = await serve();
    const headers = { "x-request-id": "trace-1234.A_b" };
    expect((await fetch(`${url}/api`, { headers })).headers.get("x-request-id")).toBe("trace-1234.A_b");
    const problem = await expectProblem(await fetch(`${url}/nowhere`, { headers }), "route_not_found");
    expect(problem.request_id).toBe("trace-1234.A_b");
  });

  test.each(["short", "a".repeat(129), "with space", 'quo"te-1234', "semi;colon-1234"])(
    "an unfit id is replaced: %s",
    async (id) => {
      const { url } = await serve({ requestId: () => "made-here-1" });
      const answer = await fetch(`${url}/api`, { headers: { "x-request-id": id } });
      expect(answer.headers.get("x-request-id")).toBe("made-here-1");
    },
  );
});

describe("credentials", () => {
  test("a bearer token lets its user in, in any case of the scheme", async () => {
    const { url } = await serve();
    const { id, token } = await signUp(url);
    for (const scheme of ["Bearer", "bearer"]) {
      const answer = await fetch(`${url}/api/users/me`, { headers: { authorization: `${scheme} ${token}` } });
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ id });
    }
  });

  test("no credential is asked for one", async () => {
    const { url } = await serve();
    const answer = await fetch(`${url}/api/users/me`);
    await expectProblem(answer, "unauthenticated");
    expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="postern"');
  });

  test("another scheme is refused and asked for the right one", async () => {
    const { url } = await serve();
    for (const authorization of ["Basic YTpi", "Token abc", "abc"]) {
      const answer = await fetch(`${url}/api/users/me`, { headers: { authorization } });
      await expectProblem(answer, "unauthenticated");
      expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="postern"');
    }
  });

  test.each(["Bearer", "Bearer a b", "Bearer a,b", "Bearer tök", "Bearer =a", 'Bearer "a"'])(
    "a malformed token is refused: %s",
    async (authorization) => {
      const { port } = await serve();
      const request = ["GET /api/users/me HTTP/1.1", "Host: a", `Authorization: ${authorization}`, "Connection: close"];
      const [answer] = await raw(port, lines(...request));
      await expectProblem(answer, "invalid_token");
      expect(answer?.headers.get("www-authenticate")).toContain('error="invalid_token"');
    },
  );

  test("two credentials are refused, even the same twice", async () => {
    const { url, port } = await serve();
    const { token } = await signUp(url);
    const authorization = `Authorization: Bearer ${token}`;
    const request = ["GET /api/users/me HTTP/1.1", "Host: a", authorization, authorization, "Connection: close"];
    const [answer] = await raw(port, lines(...request));
    await expectProblem(answer, "multiple_credentials");
  });

  test("a token in the query or a cookie is none", async () => {
    const { url } = await serve();
    const { token } = await signUp(url);
    const answers = [
      await fetch(`${url}/api/users/me`, { headers: { cookie: `access_token=${token}; token=${token}` } }),
      await fetch(`${url}/api/users/me?access_token=${token}`),
    ];
    for (const answer of answers) await expectProblem(answer, "unauthenticated");
  });
});

describe("accept", () => {
  test.each([undefined, "*/*", "application/json", "application/*", "text/html, */*;q=0.1"])(
    "JSON is given to %s",
    async (accept) => {
      const { url } = await serve();
      const answer = await fetch(`${url}/api`, accept === undefined ? {} : { headers: { accept } });
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    },
  );

  test.each(["text/html", "application/xml", "application/json;q=0", "application/json;q=0, */*"])(
    "what excludes JSON is refused with a problem all the same: %s",
    async (accept) => {
      const { url } = await serve();
      await expectProblem(await fetch(`${url}/api`, { headers: { accept } }), "not_acceptable");
    },
  );

  test("the docs are HTML for whoever takes HTML or anything", async () => {
    const { url } = await serve();
    for (const accept of ["text/html", "*/*", "text/html,application/xhtml+xml;q=0.9"]) {
      const answer = await fetch(`${url}/api/v2/docs`, { headers: { accept } });
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    }
    await expectProblem(
      await fetch(`${url}/api/v2/docs`, { headers: { accept: "application/pdf" } }),
      "not_acceptable",
    );
  });
});

describe("the URL", () => {
  test("8 KiB are taken and more are not", async () => {
    const { port } = await serve();
    const get = (length: number) =>
      raw(port, lines(`GET /${"a".repeat(length - 1)} HTTP/1.1`, "Host: a", "Connection: close"));
    await expectProblem((await get(8192))[0], "route_not_found");
    await expectProblem((await get(8193))[0], "uri_too_long");
    await expectProblem((await get(15_000))[0], "uri_too_long");
    await expectProblem((await get(40_000))[0], "uri_too_long");
  });

  test.each(["/api/users/%", "/api/users/%zz", "/api/users/%ff", "/api/users/%c3%28", "/%"])(
    "broken percent-encoding in the path is refused: %s",
    async (path) => {
      const { port } = await serve();
      const [answer] = await raw(port, lines(`GET ${path} HTTP/1.1`, "Host: a", "Connection: close"));
      await expectProblem(answer, "bad_request");
    },
  );

  test("broken percent-encoding in the query is refused", async () => {
    const { port } = await serve();
    for (const query of ["limit=%", "limit=%ff", "%e0%a4%a=1"]) {
      const [answer] = await raw(port, lines(`GET /api?${query} HTTP/1.1`, "Host: a", "Connection: close"));
      await expectProblem(answer, "invalid_parameter");
    }
  });

  test("the query reaches the operation decoded, repeats included", async () => {
    const { url } = await serve();
    const { token } = await signUp(url);
    const fields = await fetch(`${url}/api/users/me?fields=name%2Cemail`, { headers: bearer(token) });
    expect(Object.keys((await fields.json()) as object)).toEqual(expect.arrayContaining(["name", "email"]));
    const twice = await fetch(`${url}/api/users/me?fields=name&fields=email`, { headers: bearer(token) });
    await expectProblem(twice, "invalid_parameter");
  });

  test("absolute form is the same request", async () => {
    const { port } = await serve();
    const [answer] = await raw(port, lines("GET http://elsewhere:80/api HTTP/1.1", "Host: a", "Connection: close"));
    expect(answer?.status).toBe(200);
  });

  test("OPTIONS * says what the server knows", async () => {
    const { port } = await serve();
    const [answer] = await raw(port, lines("OPTIONS * HTTP/1.1", "Host: a", "Connection: close"));
    expect(answer?.status).toBe(204);
    expect(answer?.headers.get("allow")).toContain("PATCH");
  });
});

describe("Host", () => {
  test.each([
    ["none", []],
    ["two", ["Host: a", "Host: a"]],
    ["an empty one", ["Host:"]],
    ["a malformed one", ["Host: a b"]],
    ["one with a path", ["Host: a/b"]],
    ["one with user information", ["Host: u@a"]],
  ])("%s is refused", async (_name, hosts) => {
    const { port } = await serve();
    for (const path of ["/api", "/api/webhooks/acme", "/health/live"]) {
      const [answer] = await raw(port, lines(`GET ${path} HTTP/1.1`, ...hosts, "Connection: close"));
      await expectProblem(answer, "bad_request");
    }
  });

  test("HTTP/1.0 needs none", async () => {
    const { port } = await serve();
    const [answer] = await raw(port, lines("GET /health/live HTTP/1.0"));
    expect(answer?.status).toBe(200);
  });

  test("no link is made from it", async () => {
    const { port } = await serve();
    const body = JSON.stringify({ name: "eve", email: "eve@example.com", password: "correct horse battery" });
    const head = ["POST /api/users HTTP/1.1", "Host: evil.example", "X-Forwarded-Host: evil.example"];
    const more = ["Content-Type: application/json", `Content-Length: ${body.length}`, "Connection: close"];
    const [answer] = await raw(port, lines(...head, ...more) + body);
    expect(answer?.status).toBe(201);
    expect(JSON.stringify([...(answer?.headers ?? [])]) + answer?.body).not.toContain("evil.example");
  });
});

describe("security headers", () => {
  test("stand on JSON, on errors and on pages", async () => {
    const { url } = await serve();
    for (const path of ["/api", "/nowhere", "/health/live", "/api/v1/docs"]) {
      const { headers } = await fetch(url + path);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(headers.has("server")).toBe(false);
      expect(headers.has("x-powered-by")).toBe(false);
    }
  });

  test("a page keeps the policy its handler gave", async () => {
    const { url } = await serve();
    const policy = (await fetch(`${url}/api/v2/docs`)).headers.get("content-security-policy");
    expect(policy).not.toBe("default-src 'none'; frame-ancestors 'none'");
  });

  test("personal data is kept by the caller's own cache only, and never used unasked", async () => {
    const { url } = await serve();
    const { token } = await signUp(url);
    const answer = await fetch(`${url}/api/users/me`, { headers: bearer(token) });
    expect(answer.headers.get("cache-control")).toBe("private, no-cache");
    expect(answer.headers.get("vary")).toContain("Authorization");
  });
});

describe("the caller's address", () => {
  let tried = 0;
  /** Each time for another account, which has a limit of its own. */
  const tryToSignIn = (url: string, forwarded?: string) =>
    fetch(
      `${url}/api/sessions`,
      json(
        { email: `a${tried++}@example.com`, password: "wrong password" },
        forwarded === undefined ? {} : { headers: { "x-forwarded-for": forwarded } },
      ),
    );

  /** The status of the try after the limit of 20 is used up by `forwarded(0..19)`. */
  const after20 = async (trustProxy: number, forwarded: (index: number) => string, last: string) => {
    const limited = makeApp({ settings: { rateLimits: "on" } });
    const { url } = await serve({ trustProxy }, limited);
    for (let index = 0; index < 20; index++) expect((await tryToSignIn(url, forwarded(index))).status).toBe(401);
    return (await tryToSignIn(url, last)).status;
  };

  test("is the socket's, whatever a header says", async () => {
    expect(await after20(0, (index) => `192.0.2.${index}`, "192.0.2.99")).toBe(429);
  });

  test("is the entry the outermost trusted proxy wrote", async () => {
    expect(await after20(2, (index) => `10.9.9.${index}, 192.0.2.1, 10.0.0.1`, "10.9.9.99, 192.0.2.1, 10.0.0.1")).toBe(
      429,
    );
    expect(await after20(2, () => "192.0.2.1, 10.0.0.1", "192.0.2.2, 10.0.0.1")).toBe(401);
  });

  test("is the socket's when the header is shorter than the proxies or no address", async () => {
    expect(await after20(2, (index) => `192.0.2.${index}`, "192.0.2.99")).toBe(429);
    expect(await after20(1, (index) => `unknown-${index}`, "unknown-99")).toBe(429);
  });
});
