import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { namedSchemes, readmeWithTable, schemePage, sendersPage } from "../scripts/docs.ts";
import { withDocstring } from "../scripts/docstring.ts";
import { factsOf } from "../scripts/facts.ts";
import { loadersModule, schemesModule } from "../scripts/lists.ts";
import { unsignedSenders, waitingSenders } from "../scripts/other-senders.ts";
import { findScheme, schemes } from "../src/all-schemes.ts";

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

test("the README's tables and lists agree with the schemes and the lists of other senders", () => {
  const readme = read("README.md");
  expect(readmeWithTable(readme)).toBe(readme);
});

test("there is a page for every scheme, as the scheme says, and no other", () => {
  for (const scheme of Object.values(schemes))
    expect(read(`../../docs/senders/${scheme.name}.md`)).toBe(schemePage(scheme));
  expect(read("../../docs/senders/README.md")).toBe(sendersPage());
  const pages = readdirSync(new URL("../../../docs/senders", import.meta.url));
  expect(pages.sort()).toEqual(["README", ...Object.keys(schemes)].map((name) => `${name}.md`).sort());
});

test("both lists of schemes are those of the files, as scripts/docs.ts writes them", () => {
  expect(read("src/generated/schemes.ts")).toBe(schemesModule());
  expect(read("src/generated/loaders.ts")).toBe(loadersModule());
  const files = readdirSync(new URL("../src/schemes", import.meta.url));
  expect(files.sort()).toEqual(
    Object.keys(schemes)
      .map((name) => `${name}.ts`)
      .sort(),
  );
});

test("an editor shows what a scheme signs, what that covers, and the source", () => {
  const types =
    "import { S as Scheme } from '../scheme.js';\n\ndeclare const mailgun: Scheme;\n\nexport { mailgun };\n";
  expect(withDocstring(types, schemes.mailgun)).toContain(`
/**
 * Mailgun. Signed: \`{field:signature.timestamp}{field:signature.token}\` (hmac-sha256, hex).
 * Covered: timestamp, id, field:signature.token. **The body is not authenticated.**
 * Window: ± 32400 s.
 * Key: Mailgun, Settings, API Security, HTTP webhook signing key.
 * @see ${factsOf(schemes.mailgun).source}
 */
declare const mailgun: Scheme;
`);
  expect(() => withDocstring(types, schemes.stripe)).toThrow("declare const stripe: Scheme;");
});

test("at least 110 senders have a scheme by their own name", () => {
  expect(namedSchemes.length).toBeGreaterThanOrEqual(110);
});

test("senders that do not sign lead to schemes that authenticate nothing but the sender", () => {
  for (const { sender, scheme } of unsignedSenders)
    if (scheme !== undefined) expect([sender, findScheme(scheme).covered]).toEqual([sender, ["sender"]]);
});

test("no sender waits that has a scheme, and the lists are in order", () => {
  const titles = Object.values(schemes).map(({ title }) => title.toLowerCase());
  for (const { sender } of waitingSenders) expect(titles).not.toContain(sender.toLowerCase());
  for (const list of [unsignedSenders, waitingSenders]) {
    const names = list.map(({ sender }) => sender.toLowerCase());
    expect(names).toEqual([...names].sort());
  }
});
