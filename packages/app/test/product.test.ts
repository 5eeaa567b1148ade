import { createApp } from "@postern/app";
import { AppError } from "@postern/core";
import { memoryPorts } from "@postern/core/memory";
import type { Deprecation, VersionDefinition } from "@postern/rest";
import { productInForce } from "@postern/rest/internal";
import { describe, expect, test } from "vitest";
import { accentOf, contrast } from "../../rest/src/pages/accent.ts";
import { codePage, consentPage, faultPage, signInPage } from "../src/oauth/consent-page.ts";
import { mailScene, password } from "./mail-scene.ts";

const product = {
  title: "Mill & Sons",
  description: "Invoices for millers.",
  contact: { name: "The millers", email: "help@mill.example", url: "https://mill.example/help" },
  logo: '<svg xmlns="http://www.w3.org/2000/svg"><circle r="4"/></svg>',
  accent: "#ffcc00",
} as const;

const versions: readonly VersionDefinition[] = [{ id: "v1", released: "2026-01-01", changes: [], builtIn: 1 }];

const ending: Deprecation = {
  id: "comments-end",
  target: { version: "v1", operation: "comments.list" },
  announced: "2026-01-01",
  deprecated: "2026-01-01",
  sunset: "2026-12-01",
  replacement: { version: "v1", operation: "posts.read" },
  reason: "Nobody reads them.",
  migration: "Read posts.",
};

/**
 * What no customer reads as a text: `x-postern-…` in documents, `postern.…` of jobs, `postern-token` of
 * a script, `postern-job-…` in the Message-ID of mails; and, in texts for operators, variables, and
 * the command of an example.
 */
const exempt = /postern[-.][a-z0-9-]+|POSTERN_[A-Z_]+|postern jobs list/g;

const saysPostern = (text: string): readonly string[] =>
  [...text.replaceAll(exempt, "").matchAll(/.{0,60}postern.{0,40}/gi)].map(([found]) => found);

describe("an application with a title of its own says Postern nowhere to its customers", () => {
  test("in documents, pages, feeds, problems and mails, and when it asks for a credential", async () => {
    const issuer = "https://api.mill.example";
    const scene = await mailScene({ issuer }, {}, { product, versions, deprecations: [ending] });
    const { app, call, user, admin, sent, work, askForReset } = scene;
    const seen = new Map<string, string>();
    const see = (name: string, shown: unknown) =>
      seen.set(name, typeof shown === "string" ? shown : JSON.stringify(shown ?? null));
    for (const { id } of app.versions) see(`the document of ${id}`, app.openApi(id));
    const { operations = [] } = app.versions.at(-1) ?? {};
    const about = operations.filter(({ id, method }) => id.startsWith("about.") && method === "GET");
    const codes = ["not_found", "conflict", "unauthenticated", "rate_limited", "overloaded"];
    for (const { path, unversioned } of about) {
      const targets = path.includes("{code}")
        ? codes.map((code) => path.replace("{code}", code))
        : [path.replace("{id}", ending.id)];
      for (const target of targets) {
        for (const format of ["", "html", "markdown", "atom"]) {
          const base = unversioned === true ? { base: "/api" } : {};
          const answer = await call("GET", `${target}${format === "" ? "" : `?format=${format}`}`, base);
          see(`${target} ${format}`, [answer.text ?? answer.body, answer.headers]);
        }
      }
    }
    const { id, token } = await user("ada");
    const { token: operator } = await admin();
    await askForReset("ada@example.com");
    const invited = { name: "Bob", email: "bob@example.com" };
    see("an invitation", (await call("POST", "/admin/invitations", { token: operator, body: invited })).body);
    await call("PATCH", `/users/${id}`, { token, body: { email: "eve@example.com", current_password: password } });
    await work();
    for (const [index, mail] of sent.entries()) see(`mail ${index}`, mail);
    expect(sent.length).toBeGreaterThanOrEqual(4);
    const begun = await call("POST", `/users/${id}/second-factor`, { token, body: { current_password: password } });
    expect(begun.body.uri).toContain("otpauth://totp/Mill%20%26%20Sons%3A");
    see("a second factor", begun.body);
    const shown = { product: productInForce(product), root: "", action: "/oauth/authorize" };
    const client = { clientName: "Shop" };
    const asked = {
      ...shown,
      ...client,
      fields: {},
      proof: "",
      account: "ada",
      scopes: ["posts:read"],
      leadsTo: "https://a.example",
      mostDays: 1,
    };
    see("sign-in", signInPage(shown, {}, client).text);
    see("code", codePage(shown, {}, { ...client, challenge: "x" }).text);
    see("consent", consentPage(asked).text);
    see("a fault", faultPage(shown.product, "", 400, "No.").text);
    for (const { path, wellKnown, answer } of app.rooted) {
      if (wellKnown !== true) continue;
      see(path, (await answer({} as never)).body);
    }
    for (const code of ["unauthenticated", "not_found"] as const) {
      see(
        code,
        app.fail(new AppError(code, { headers: { "www-authenticate": 'Bearer realm="postern"' } }), {
          path: "/api",
          requestId: "1",
        }),
      );
    }
    expect(seen.get("unauthenticated")).toContain("Mill & Sons");
    const found = [...seen].flatMap(([name, text]) => saysPostern(text).map((said) => `${name}: ${said}`));
    expect(found).toEqual([]);
    // It looked at what says the title.
    const titled = [
      "the document of v1",
      "/docs ",
      "sign-in",
      "mail 0",
      "/changelog atom",
      "/.well-known/oauth-protected-resource",
    ];
    for (const name of titled) expect(seen.get(name)?.replaceAll("&amp;", "&"), name).toContain("Mill & Sons");
  });

  test("and a server without an application says it as before", () => {
    const { info } = createApp({ ports: memoryPorts() }).openApi("v1") as { info: { title: string } };
    expect(info).toMatchObject({ title: "Postern", license: { name: "Apache-2.0" } });
  });
});

test("pages show the logo and the accent of the product", async () => {
  const { call } = await mailScene({}, {}, { product, versions });
  const page = (await call("GET", "/account", { base: "/api" })).text ?? "";
  expect(page).toContain('<img src="/api/assets/logo.svg"');
  const logo = await call("GET", "/assets/logo.svg", { base: "/api" });
  expect(logo.text).toBe(product.logo);
  expect(logo.headers["content-security-policy"]).toContain("sandbox");
  const { light, dark } = accentOf(product.accent);
  expect((await call("GET", "/assets/docs.css", { base: "/api" })).text).toContain(`light-dark(${light}, ${dark})`);
});

test("an accent of any colour is readable in the light and in the dark", () => {
  for (let step = 0; step < 512; step += 1) {
    const colour = `#${[6, 3, 0].map((bits) => (((step >> bits) & 7) * 36).toString(16).padStart(2, "0")).join("")}`;
    const { light, dark } = accentOf(colour);
    for (const paper of ["#ffffff", "#f5f6f8"]) expect(contrast(light, paper), colour).toBeGreaterThanOrEqual(4.5);
    for (const paper of ["#14171c", "#1c2027"]) expect(contrast(dark, paper), colour).toBeGreaterThanOrEqual(4.5);
  }
  expect(accentOf("#0b57c4").light).toBe("#0b57c4");
});

test.each([
  [{}, 'product: "title" is missing'],
  [{ title: "" }, '"title" must be one line of at most 60 characters'],
  [{ title: "a\nb" }, '"title" must be one line of at most 60 characters'],
  [{ title: "x".repeat(61) }, '"title" must be one line of at most 60 characters'],
  [{ title: "A", description: "x".repeat(501) }, '"description" must be a text of at most 500 characters'],
  [{ title: "A", contact: { email: "nobody" } }, 'product.contact: "email" must be an address'],
  [{ title: "A", contact: { url: "http://a.example" } }, '"url" must be a URL that begins with https://'],
  [{ title: "A", logo: "https://a.example/logo.png" }, '"logo" must be the text of an SVG image'],
  [{ title: "A", accent: "blue" }, '"accent" must be a colour such as #0b57c4'],
  [{ title: "A", color: "#000000" }, 'product: there is no option "color"'],
])("a product that cannot be shown stops the start with a sentence: %j", (wrong, said) => {
  expect(() => createApp({ ports: memoryPorts(), product: wrong as never })).toThrow(said);
});
