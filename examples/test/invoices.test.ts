import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openInvoices } from "../invoices/app.ts";

let directory: string;
let server: Server;
let close: () => Promise<void>;
let origin: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "postern-invoices-"));
  const opened = await openInvoices(`sqlite:${join(directory, "invoices.db")}`, randomBytes(32));
  close = opened.close;
  server = createServer(opened.koa.callback());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await close();
  rmSync(directory, { recursive: true, force: true });
});

const call = async (method: string, path: string, options: { token?: string; body?: unknown; match?: string } = {}) => {
  const response = await fetch(`${origin}/api/v1${path}`, {
    method,
    headers: {
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
      ...(options.body === undefined ? {} : { "content-type": "application/json" }),
      ...(options.match === undefined ? {} : { "if-match": options.match }),
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    etag: response.headers.get("etag") ?? "",
    location: response.headers.get("location") ?? "",
    // biome-ignore lint/suspicious/noExplicitAny: a test reads members of answers whose shape it asserts
    body: (text === "" ? undefined : JSON.parse(text)) as any,
  };
};

const signedUp = async (name: string): Promise<{ id: string; token: string }> => {
  const account = { email: `${name}@example.com`, password: "correct horse battery" };
  const { body } = await call("POST", "/users", { body: { name, ...account } });
  const session = await call("POST", "/sessions", { body: account });
  return { id: body.id, token: session.body.access_token };
};

const draft = { number: "2026-0001", amount: 119.9, currency: "EUR", due_on: "2026-12-01" };

describe("the invoices of an application of one's own", () => {
  test("are made, read, changed, sent, paid and deleted by their owner, and by nobody else", async () => {
    const ada = await signedUp("ada");
    const bob = await signedUp("bob");
    const made = await call("POST", "/invoices", { token: ada.token, body: draft });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ ...draft, user_id: ada.id, state: "draft", sent_at: null, paid_at: null });
    const path = made.location.replace("/api/v1", "");

    expect((await call("GET", path, { token: bob.token })).status).toBe(404);
    expect((await call("DELETE", path, { token: bob.token, match: "*" })).status).toBe(404);
    expect((await call("GET", "/invoices", { token: bob.token })).body.data).toEqual([]);

    const move = (state: string) => call("PATCH", path, { token: ada.token, match: "*", body: { state } });
    expect((await move("paid")).body).toMatchObject({ status: 409, code: "state_conflict" });
    const sent = await move("sent");
    expect(sent.body.sent_at).toBe(sent.body.updated_at);
    expect((await move("paid")).body).toMatchObject({ state: "paid", sent_at: sent.body.sent_at });
    expect((await move("draft")).status).toBe(409);

    const replaced = { ...draft, amount: 0.1, state: "paid" };
    const put = await call("PUT", path, { token: ada.token, match: "*", body: replaced });
    expect(put.body).toMatchObject(replaced);
    expect((await call("DELETE", path, { token: ada.token, match: put.etag })).status).toBe(204);
    expect((await call("GET", path, { token: ada.token })).status).toBe(404);
  });

  test("are refused if they are not valid invoices", async () => {
    const { token } = await signedUp("cleo");
    const fault = async (changes: object) => {
      const { status, body } = await call("POST", "/invoices", { token, body: { ...draft, ...changes } });
      expect(status).toBe(400);
      return body.errors.map(({ pointer }: { pointer: string }) => pointer);
    };
    expect(await fault({ amount: 1.005 })).toEqual(["/amount"]);
    expect(await fault({ amount: -1 })).toEqual(["/amount"]);
    expect(await fault({ amount: "1" })).toEqual(["/amount"]);
    expect(await fault({ due_on: "2026-02-30" })).toEqual(["/due_on"]);
    expect(await fault({ paid_at: "2026-01-01T00:00:00Z" })).toEqual(["/paid_at"]);
    expect(await fault({ total: 5 })).toEqual(["/total"]);
    await call("POST", "/invoices", { token, body: { ...draft, number: "taken" } });
    const twice = await call("POST", "/invoices", { token, body: { ...draft, number: "taken" } });
    expect(twice.body).toMatchObject({ code: "conflict", errors: [{ pointer: "/number" }] });
  });

  test("are listed by their fields, page by page, with their owner", async () => {
    const { token } = await signedUp("dora");
    for (const [n, due_on] of ["2027-03-01", "2027-01-01", "2027-02-01"].entries()) {
      await call("POST", "/invoices", { token, body: { ...draft, number: `D-${n}`, amount: n * 10, due_on } });
    }
    const numbers = async (query: string) => {
      const { body } = await call("GET", `/invoices?fields=number&${query}`, { token });
      return body.data?.map(({ number }: { number: string }) => number) ?? body.code;
    };
    expect(await numbers("sort=due_on")).toEqual(["D-1", "D-2", "D-0"]);
    expect(await numbers("sort=-due_on&filter[amount][gte]=10")).toEqual(["D-2", "D-1"]);
    expect(await numbers("filter[due_on][lt]=2027-03-01&filter[state]=draft&sort=number")).toEqual(["D-1", "D-2"]);
    expect(await numbers("filter[paid_at][null]=false")).toEqual([]);
    expect(await numbers("sort=amount")).toBe("invalid_sort");
    const { body: unknown } = await call("GET", "/invoices?fields=numbr", { token });
    expect(unknown.detail).toMatch(/^An invoice has no field "numbr" to select; it has /);
    const { body } = await call("GET", "/invoices?limit=2&total=true&include=owner&fields[users]=name", { token });
    expect(body.data[0].owner.name).toBe("dora");
    expect(body.page).toMatchObject({ has_more: true, total: 3 });
    expect(await numbers(`cursor=${body.page.next_cursor}`)).toEqual(["D-2"]);
  });

  test("are described, and leave the other paths to the application", async () => {
    const { body } = await call("GET", "/openapi.json");
    expect(Object.keys(body.paths)).toEqual(expect.arrayContaining(["/invoices", "/invoices/{id}"]));
    expect(await (await fetch(`${origin}/elsewhere`)).text()).toBe("Your own page.");
  });

  test("stand in docs/resources.md as they are here", () => {
    const page = readFileSync(new URL("../../docs/resources.md", import.meta.url), "utf8");
    const source = readFileSync(new URL("../invoices/invoice.ts", import.meta.url), "utf8");
    expect(page).toContain(`\`\`\`ts\n// invoices/invoice.ts\n${source}\`\`\``);
  });
});
