import { describe, expect, test } from "vitest";
import { fetchHandler } from "../src/fetch/index.ts";
import { type ConnectionOptions, createHttpServer, nodeListener } from "../src/node/index.ts";
import { connectionOptionRules } from "../src/option-rules.ts";
import { makeApp } from "../src/testing/app-under-test.ts";
import { selfSigned } from "../src/testing/certificate.ts";

const first = selfSigned("first");
const second = selfSigned("second");

describe("options that cannot work are refused before the server starts", () => {
  test.each([
    "*",
    "null",
    "https://app.example.com/",
    "https://App.example.com",
    "app.example.com",
    "https://a.com:443",
  ])("%s as an origin for CORS", (value) => {
    expect(() => createHttpServer(makeApp().app, { corsOrigins: [value] })).toThrow(/corsOrigins/);
  });

  test.each(["security@example.com", "http://example.com", "mailto:a\nb"])("%j as a contact", (value) => {
    expect(() => createHttpServer(makeApp().app, { securityContacts: [value] })).toThrow(/securityContacts/);
  });

  test("a delay of the event loop below 0", () => {
    expect(() => createHttpServer(makeApp().app, { maxEventLoopDelayMs: -1 })).toThrow("maxEventLoopDelayMs");
  });

  test.each([
    ["createHttpServer", createHttpServer],
    ["nodeListener", nodeListener],
    ["fetchHandler", fetchHandler],
  ])("a misspelt option of %s", (_name, make) => {
    const options: object = { basepath: "/postern" };
    expect(() => make(makeApp().app, options)).toThrow(
      'HTTP options: there is no option "basepath"; did you mean "basePath"?',
    );
  });

  test("all options of connections are known", () => {
    // The types find one that is missing here.
    const rules: Readonly<Record<keyof ConnectionOptions, object>> = connectionOptionRules;
    const given: object = Object.fromEntries(Object.keys(rules).map((name) => [name, undefined]));
    expect(() => nodeListener(makeApp().app, given)).not.toThrow();
    const misspelt: object = { maxConnection: 10 };
    expect(() => createHttpServer(makeApp().app, misspelt)).toThrow('did you mean "maxConnections"?');
  });

  test("a key and a certificate that do not belong together", () => {
    expect(() => createHttpServer(makeApp().app, { tls: { cert: first.cert, key: second.key } })).toThrow();
  });

  test("a new certificate for a server that was made without one", () => {
    expect(() => createHttpServer(makeApp().app).reloadTls(first)).toThrow(TypeError);
  });
});
