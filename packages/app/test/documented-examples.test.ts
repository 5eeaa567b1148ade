import { checkerOf, writtenOut } from "@postern/rest/internal";
import { describe, expect, test } from "vitest";
import { testApi } from "./api.ts";

const { app, call } = testApi();

interface Example {
  /** The operation, and whether it is of a request or of an answer. */
  readonly of: string;
  readonly schema: unknown;
  readonly value: unknown;
}

const plain = (html: string): string =>
  html.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

/** Every example of a body that the page of a version shows, with its schema from the document. */
const examplesOn = async (version: string): Promise<{ components: object; examples: readonly Example[] }> => {
  const { text = "" } = await call("GET", "/docs", { version });
  // biome-ignore lint/suspicious/noExplicitAny: a test reads documents whose shape it asserts
  const document = writtenOut(app.openApi(version)) as any;
  // biome-ignore lint/suspicious/noExplicitAny: the same
  const operations = Object.values<any>(document.paths).flatMap((methods) => Object.values<any>(methods));
  const examples = operations.flatMap(({ operationId, requestBody, responses }): Example[] => {
    const section = text.split(`<details class="operation" id="${operationId}">`)[1]?.split("</details>\n")[0] ?? "";
    // biome-ignore lint/suspicious/noExplicitAny: the same
    const success = Object.entries<any>(responses).find(([status]) => status.startsWith("2"))?.[1];
    return (["a body", "an answer"] as const).flatMap((what) => {
      const [, shown] = new RegExp(`aria-label="Example of ${what}">([^<]*)</pre>`).exec(section) ?? [];
      const content = what === "a body" ? requestBody?.content : success?.content;
      // biome-ignore lint/suspicious/noExplicitAny: the same
      const schema = (Object.values(content ?? {})[0] as any)?.schema;
      return shown === undefined ? [] : [{ of: `${operationId}, ${what}`, schema, value: JSON.parse(plain(shown)) }];
    });
  });
  return { components: document.components.schemas, examples };
};

const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
};

describe.each(["v1", "v2"])("the examples on the page of %s", (version) => {
  test("satisfy the schemas of the document", async () => {
    const { components, examples } = await examplesOn(version);
    expect(examples.length).toBeGreaterThan(80);
    const wrong = examples.flatMap(({ of, schema, value }) => {
      const { error } = checkerOf({ schema, components } as never).safeParse(value);
      return error === undefined ? [] : [`${of}: ${error.message}`];
    });
    expect(wrong).toEqual([]);
  }, 60_000);

  test("look like what the server sends, without words that stand for any text", async () => {
    const { examples } = await examplesOn(version);
    const fillers = examples.flatMap(({ of, value }) =>
      textsIn(value)
        .filter((text) => ["", "text", "string", "1"].includes(text))
        .map((text) => `${of}: "${text}"`),
    );
    expect(fillers).toEqual([]);
    const { value } = examples.find(({ of }) => of === "sessions.create, an answer") ?? {};
    expect(value).toEqual({
      access_token: expect.stringMatching(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: "Bearer",
      expires_in: 600,
      refresh_token: expect.stringMatching(/^prt_[0-9a-f-]{36}_[0-9a-f]{64}$/),
    });
  });
});

test("an access token in the documents is none: its signature says so", () => {
  const [token = ""] = /eyJ[\w-]+\.[\w-]+\.[\w-]+/.exec(JSON.stringify(app.openApi("v2"))) ?? [];
  expect(Buffer.from(token.split(".")[2] ?? "", "base64url").toString()).toBe("an example, no signature");
});
