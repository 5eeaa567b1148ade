import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGatewayServer, type HttpServer } from "@postern/http/node";
import { freePort } from "../../../test/free-port.ts";
import { type Composition, compose } from "../src/compose.ts";
import { composeHttp } from "../src/compose-http.ts";
import { readConfig } from "../src/config.ts";
import type { PosternConfig } from "../src/config-file.ts";
import { mysqlDatabase, postgresDatabase } from "./database-servers.ts";

const password = "correct horse battery";
const operator = { kind: "operator", name: "test" } as const;

/** The databases on which two nodes can stand. */
export type NodesOn = "SQLite" | "MariaDB" | "PostgreSQL";

const newDatabase = async (kind: NodesOn): Promise<{ url: string; drop: () => Promise<void> }> => {
  if (kind === "SQLite") {
    const directory = mkdtempSync(join(tmpdir(), "postern-oauth-"));
    const drop = async () => rmSync(directory, { recursive: true, force: true });
    return { url: `sqlite:${join(directory, "test.db")}`, drop };
  }
  const database = kind === "MariaDB" ? mysqlDatabase() : postgresDatabase();
  await database.create();
  return database;
};

/**
 * Two nodes of one server with a public URL, a user and ways to act as administrator and as
 * browser.
 */
export const startNodes = async (
  kind: NodesOn,
  {
    rateLimits = "off",
    variables = {},
    limits = {},
  }: { rateLimits?: string; variables?: Record<string, string>; limits?: PosternConfig["limits"] & object } = {},
) => {
  const database = await newDatabase(kind);
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const config = readConfig(
    {
      DATABASE_URL: database.url,
      POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
      POSTERN_PUBLIC_URL: issuer,
      POSTERN_RATE_LIMIT: rateLimits,
      LOG_LEVEL: "error",
      ...variables,
    },
    false,
  );
  const running: { composition: Composition; server: HttpServer; url: string }[] = [];
  for (const listenOn of [port, 0]) {
    const composition = await compose(config, { limits });
    await composition.migrate();
    const { gateway, listener } = composeHttp(composition.app, config, {});
    const server = createGatewayServer(gateway, { listener });
    running.push({ composition, server, url: (await server.listen({ port: listenOn, host: "127.0.0.1" })).url });
  }
  const [first, second] = running;
  if (first === undefined || second === undefined) throw new Error("there are two nodes");
  const run = async (operation: string, body: object, params: Record<string, string> = {}) =>
    (await first.composition.app.run({ operation, principal: operator, body, params })).body as Record<string, string>;
  const ann = await run("users.create", { name: "Ann", email: "ann@example.com", password });
  return {
    issuer,
    other: second.url,
    ann: String(ann.id),
    run,
    storage: first.composition.storage,
    /** The status of a request to the API. */
    status: async (token: string, path = "/posts", base = issuer) =>
      (await fetch(`${base}/api/v2${path}`, { headers: { authorization: `Bearer ${token}` } })).status,
    close: async () => {
      for (const { server, composition } of running) {
        await server.close({ graceMs: 0 });
        await composition.close();
      }
      await database.drop();
    },
  };
};

export type Nodes = Awaited<ReturnType<typeof startNodes>>;

const fieldsOf = (html: string): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(([, name = "", value = ""]) => [
      name,
      value.replaceAll("&amp;", "&").replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">"),
    ]),
  );

/** A browser without scripts. It keeps the cookie and sends the forms of pages. */
export const openBrowser = ({ issuer }: Pick<Nodes, "issuer">) => {
  let cookie = "";
  const send = async (url: string, init: RequestInit = {}) => {
    const answer = await fetch(url, {
      ...init,
      redirect: "manual",
      headers: { ...(cookie === "" ? {} : { cookie }), ...Object.fromEntries(new Headers(init.headers)) },
    });
    cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? cookie;
    const location = answer.headers.get("location");
    return { answer, html: await answer.text(), location };
  };
  const post = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    send(`${issuer}/oauth/authorize`, {
      method: "POST",
      headers: { origin: issuer, "sec-fetch-site": "same-origin", ...headers },
      body: new URLSearchParams(fields),
    });
  return {
    send,
    post,
    get cookie() {
      return cookie;
    },
    /**
     * Opens the link, signs in if the page asks for it, and decides. Returns the URL that the
     * browser is sent to.
     */
    decide: async (link: URL | string, decision: "allow" | "deny" = "allow"): Promise<URL> => {
      let shown = await send(String(link));
      if (shown.html.includes('name="password"')) {
        const signedIn = await post({ ...fieldsOf(shown.html), email: "ann@example.com", password });
        shown = await send(`${issuer}${signedIn.location}`);
      }
      const decided = await post({ ...fieldsOf(shown.html), decision });
      return new URL(decided.location ?? `error:${decided.answer.status}`);
    },
    fieldsOf,
  };
};
