import assert from "node:assert/strict";
import type { Coding, Compressor } from "../compression/compressor.ts";
import { zlibCompressor } from "../compression/compressor.ts";
import type { HttpServerOptions } from "../node/create-http-server.ts";
import { appToRead, bearer, json, type Made, makeApp, signUp } from "./app-under-test.ts";
import { reaches } from "./assertions.ts";
import { type Cases, each, eachOf } from "./cases.ts";
import { expectProblem } from "./problem.ts";
import type { Trial } from "./trial.ts";

const zlib = (): Compressor => {
  const found = zlibCompressor();
  assert.ok(found !== undefined, "this runtime has no zlib");
  return found;
};

let users = 0;

/** An account with posts, whose list is a little more than `posts` times `length` bytes. */
const scene = async (
  trial: Trial,
  {
    posts = 5,
    length = 500,
    options = {},
    made = makeApp(),
  }: { posts?: number; length?: number; options?: HttpServerOptions; made?: Made } = {},
) => {
  const served = await trial.serve(options, made);
  users += 1;
  const { token } = await signUp(trial, served.url, made === appToRead() ? `reader${users}` : "ann");
  const send = (method: string, path: string, more: Record<string, string> = {}, body?: unknown) =>
    trial.fetch(`${served.url}/api/v2${path}`, {
      method,
      headers: {
        "accept-encoding": "identity",
        ...bearer(token),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...more,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  let path = "";
  for (let index = 0; index < posts; index++) {
    const body = `${index} ${"word ".repeat(length / 5)}`;
    const made = await send("POST", "/users/me/posts", {}, { title: `Post ${index}`, body });
    assert.equal(made.status, 201);
    path = `/posts/${((await made.json()) as { id: string }).id}`;
  }
  const list = (acceptEncoding: string, more: Record<string, string> = {}) =>
    send("GET", "/users/me/posts", { "accept-encoding": acceptEncoding, ...more });
  return { ...served, token, send, list, path };
};

const codingOf = (answer: Response) => answer.headers.get("content-encoding");
const tagOf = (answer: Response) => answer.headers.get("etag") ?? "";
const lengthOf = (answer: Response) => Number(answer.headers.get("content-length"));

/** Zlib that waits until it is released, and counts its calls. */
const heldCompressor = () => {
  let letGo: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const asked: Coding[] = [];
  const inner = zlib();
  const compressor: Compressor = {
    ...inner,
    compress: async (coding, bytes) => {
      asked.push(coding);
      await gate;
      return inner.compress(coding, bytes);
    },
  };
  return { compressor, asked, letGo: () => letGo() };
};

export const compressionMessages: Cases = {
  ...each(
    "compression: for Accept-Encoding %j, a list comes in %s",
    [
      ["gzip", "gzip"],
      ["br", "br"],
      ["gzip, deflate, br, zstd", "br"],
      ["br;q=0.5, gzip", "gzip"],
      ["br;q=0.5, gzip; Q=0.4", "br"],
      ["*", "br"],
      ["br;q=0, *;q=0.1", "gzip"],
      ["GZIP", "gzip"],
      ["x-gzip", "gzip"],
      ["identity;q=0.2, gzip;q=0.1", null],
      ["identity, gzip;q=0.9", null],
      ["identity;q=0, gzip;q=0.001", "gzip"],
      ["identity", null],
      ["", null],
      ["deflate, zstd", null],
      ["gzip;q=0, br;q=0.000", null],
      ["gzip;q=much", null],
      ["gzip;q=-1", null],
      [",, ;q=1, gzip;", "gzip"],
    ],
    async (trial, acceptEncoding, coding) => {
      const { list } = await scene(trial);
      const plain = await list("identity");
      const answer = await list(acceptEncoding);
      assert.deepEqual([answer.status, codingOf(answer)], [200, coding]);
      assert.equal(await answer.text(), await plain.text());
      assert.equal(lengthOf(answer) < lengthOf(plain) / 2, coding !== null);
    },
  ),
  ...eachOf(
    "compression: a caller that accepts no available coding gets 406 before any work is done: %s",
    ["identity;q=0", "*;q=0", "deflate, *;q=0", "gzip;q=0, br;q=0, identity;q=0"],
    async (trial, acceptEncoding) => {
      const { send, list } = await scene(trial, { posts: 1 });
      await expectProblem(await list(acceptEncoding), "not_acceptable");
      const post = { title: "A", body: "B" };
      const made = await send("POST", "/users/me/posts", { "accept-encoding": acceptEncoding }, post);
      await expectProblem(made, "not_acceptable");
      const { data } = (await (await list("identity")).json()) as { data: unknown[] };
      assert.equal(data.length, 1);
    },
  ),
  "compression: a small answer leaves uncompressed, unless its caller does not accept that": async (trial) => {
    const { send } = await scene(trial, { posts: 0 });
    const small = await send("GET", "/users/me", { "accept-encoding": "gzip" });
    assert.deepEqual([codingOf(small), lengthOf(small) < 1024], [null, true]);
    const forced = await send("GET", "/users/me", { "accept-encoding": "gzip, identity;q=0" });
    assert.equal(codingOf(forced), "gzip");
    assert.equal(await forced.text(), await small.text());
  },
  "compression: each coding has its own tag, and a read with that tag gets 304 with the same tag": async (trial) => {
    const { list } = await scene(trial);
    const tags = [tagOf(await list("identity")), tagOf(await list("gzip")), tagOf(await list("br"))];
    assert.equal(new Set(tags).size, 3);
    for (const tag of tags) {
      assert.ok(/^"[^"]+"$/.test(tag));
      const again = await list("gzip, br", { "if-none-match": tag });
      assert.deepEqual([again.status, tagOf(again), await again.text()], [304, tag, ""]);
      assert.equal(again.headers.get("vary"), "Accept-Encoding, Authorization");
      assert.equal(codingOf(again), null);
    }
    const [, , br] = tags;
    const all = await list("gzip;q=0.5, br", { "if-none-match": `"other", ${tags.join(", ")}` });
    assert.deepEqual([all.status, tagOf(all)], [304, br]);
  },
  "compression: the tag of a coding that the caller does not accept now does not match": async (trial) => {
    const { list } = await scene(trial);
    const tag = tagOf(await list("gzip"));
    for (const acceptEncoding of ["identity", "br", "gzip;q=0, *"]) {
      const answer = await list(acceptEncoding, { "if-none-match": tag });
      assert.equal(answer.status, 200);
      assert.notEqual(tagOf(answer), tag);
    }
    assert.equal((await list("br", { "if-none-match": `${tag}, *` })).status, 400);
  },
  "compression: the tag of a compressed answer is good for one write of what it showed": async (trial) => {
    const { send, path } = await scene(trial, { posts: 1, length: 2000 });
    for (const acceptEncoding of ["gzip", "br"]) {
      const read = await send("GET", path, { "accept-encoding": acceptEncoding });
      assert.equal(codingOf(read), acceptEncoding);
      assert.equal((await send("GET", path, { "if-match": tagOf(read) })).status, 200);
      const sent = { "accept-encoding": acceptEncoding, "if-match": tagOf(read) };
      const written = await send("PATCH", path, sent, { title: acceptEncoding });
      assert.deepEqual([written.status, codingOf(written)], [200, acceptEncoding]);
      await expectProblem(await send("PATCH", path, sent, { title: "again" }), "precondition_failed");
      const after = await send("GET", path, { "accept-encoding": acceptEncoding });
      assert.equal(tagOf(after), tagOf(written));
    }
  },
  "compression: an answer with a secret is never compressed, nor is an error": async (trial) => {
    const { url, send } = await scene(trial, { posts: 0 });
    const want = { "accept-encoding": "gzip, br, identity;q=0" };
    const account = { email: "ann@example.com", password: "correct horse battery" };
    const signedIn = await trial.fetch(`${url}/api/v2/sessions`, json(account, { headers: want }));
    const { refresh_token } = (await signedIn.json()) as { refresh_token: string };
    const refreshed = await trial.fetch(`${url}/api/v2/sessions/refresh`, json({ refresh_token }, { headers: want }));
    const key = await send("POST", "/api-keys", want, { name: "k".repeat(80), scopes: ["posts:read"] });
    for (const answer of [signedIn, refreshed, key]) {
      assert.ok(answer.ok);
      assert.deepEqual([codingOf(answer), answer.headers.get("vary")], [null, null]);
    }
    const names = Array.from({ length: 60 }, (_, index) => `nonsense${index}`);
    const refused = await send("GET", `/users/me/posts?${names.map((name) => `${name}=1`).join("&")}`, want);
    assert.deepEqual([refused.status, codingOf(refused), lengthOf(refused) > 1024], [400, null, true]);
  },
  ...each(
    "compression: %s varies by exactly %j",
    [
      ["/v2/users/me/posts", "Accept-Encoding, Authorization"],
      ["/v2/users/me", "Accept-Encoding, Authorization"],
      ["/v2/openapi.json", "Accept-Encoding"],
      ["/v1/docs", "Accept-Encoding"],
      ["/assets/docs.css", "Accept-Encoding"],
      ["/changelog", "Accept-Encoding, Accept"],
      ["/changelog?format=html", "Accept-Encoding, Accept"],
      ["/nowhere", null],
      ["/../health/live", null],
    ],
    async (trial, path, vary) => {
      const { url, token } = await scene(trial, { posts: 1, made: appToRead() });
      const target = path.startsWith("/../") ? path.slice(3) : `/api${path}`;
      const answer = await trial.fetch(url + target, { headers: { ...bearer(token), "accept-encoding": "gzip" } });
      assert.equal(answer.headers.get("vary"), vary);
    },
  ),
  "compression: HEAD has the same headers as GET in every coding": async (trial) => {
    const { send } = await scene(trial, { made: appToRead() });
    for (const path of ["/users/me/posts", "/openapi.json", "/docs"]) {
      for (const acceptEncoding of ["identity", "gzip", "br"]) {
        const get = await send("GET", path, { "accept-encoding": acceptEncoding });
        const head = await send("HEAD", path, { "accept-encoding": acceptEncoding });
        assert.equal(codingOf(get), acceptEncoding === "identity" ? null : acceptEncoding);
        for (const name of ["content-encoding", "content-length", "content-type", "etag", "vary"]) {
          assert.equal(head.headers.get(name), get.headers.get(name), `${acceptEncoding} ${path}: ${name}`);
        }
        assert.equal(await head.text(), "");
      }
    }
  },
  "compression: turned off, nothing is compressed and nothing depends on Accept-Encoding": async (trial) => {
    const { list, send } = await scene(trial, { options: { compressor: "off" }, made: appToRead() });
    for (const acceptEncoding of ["gzip, br", "identity;q=0"]) {
      const answer = await list(acceptEncoding);
      assert.deepEqual([answer.status, codingOf(answer), answer.headers.get("vary")], [200, null, "Authorization"]);
      // A proxy that compresses marks the tag.
      const marked = tagOf(answer).replace(/"$/, '-gzip"');
      assert.equal((await list(acceptEncoding, { "if-none-match": marked })).status, 304);
    }
    assert.equal((await send("GET", "/docs", { "accept-encoding": "gzip" })).headers.get("vary"), null);
  },
  "compression: a document is compressed once for all callers, also below a root": async (trial) => {
    const { compressor, asked, letGo } = heldCompressor();
    const { url } = await trial.serve({ compressor, basePath: "/base" }, appToRead());
    letGo();
    const get = () => trial.fetch(`${url}/base/api/v2/openapi.json`, { headers: { "accept-encoding": "gzip" } });
    const answers = [...(await Promise.all([get(), get(), get()])), await get()];
    assert.deepEqual(asked, ["gzip"]);
    for (const answer of answers) {
      assert.equal(codingOf(answer), "gzip");
      const { servers } = (await answer.json()) as { servers: { url: string }[] };
      assert.equal(servers[0]?.url, "/base/api/v2");
    }
  },
  "compression: a long answer that is no document leaves uncompressed": async (trial) => {
    const { list } = await scene(trial, { posts: 10, length: 8000 });
    const plain = await list("identity");
    const answer = await list("gzip, br");
    assert.deepEqual([answer.status, codingOf(answer), lengthOf(answer)], [200, null, lengthOf(plain)]);
    assert.equal(await answer.text(), await plain.text());
  },
  "compression: while a document is compressed, others leave uncompressed, and nobody waits for it": async (trial) => {
    const { compressor, asked, letGo } = heldCompressor();
    const { url } = await trial.serve({ compressor }, appToRead());
    const get = (path: string) => trial.fetch(`${url}/api/v2${path}`, { headers: { "accept-encoding": "gzip" } });
    const held = get("/openapi.json");
    await reaches(() => asked.length, 1);
    const further = await get("/docs");
    assert.deepEqual([further.status, codingOf(further)], [200, null]);
    assert.equal((await trial.fetch(`${url}/health/live`)).status, 200);
    letGo();
    assert.equal(codingOf(await held), "gzip");
    assert.equal(codingOf(await get("/docs")), "gzip");
  },
  "compression: an answer that cannot be compressed leaves as it is": async (trial) => {
    const failing: Compressor = { ...zlib(), compress: () => Promise.reject(new Error("no memory")) };
    const larger: Compressor = { ...zlib(), compressNow: (_coding, bytes) => new Uint8Array(bytes.length) };
    const { url } = await trial.serve({ compressor: failing }, appToRead());
    for (let count = 0; count < 2; count++) {
      const answer = await trial.fetch(`${url}/api/v2/docs`, { headers: { "accept-encoding": "br" } });
      assert.deepEqual([answer.status, codingOf(answer)], [200, null]);
      assert.match(await answer.text(), /^<!doctype html>/i);
    }
    const incompressible = await scene(trial, { options: { compressor: larger } });
    assert.equal(codingOf(await incompressible.list("br")), null);
  },
};
