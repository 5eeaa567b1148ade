import assert from "node:assert/strict";
import { appToRead } from "./app-under-test.ts";
import { assertContains } from "./assertions.ts";
import { type Cases, each, eachOf } from "./cases.ts";
import { expectProblem } from "./problem.ts";
import type { Trial } from "./trial.ts";

const get = async ({ serve, fetch }: Trial, name: string, accept: string, query = "") => {
  const { url } = await serve({}, appToRead());
  return fetch(`${url}/api/${name}${query}`, { headers: { accept } });
};

const json = "application/json; charset=utf-8";
const html = "text/html; charset=utf-8";
const atom = "application/atom+xml; charset=utf-8";

const formsOf = (name: string): Cases => ({
  ...each(
    `/api/${name}: gives a caller that accepts %s what it prefers, %s`,
    [
      ["application/json", json],
      ["*/*", json],
      ["text/html", html],
      ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", html],
      ["application/atom+xml", atom],
      ["text/html;q=0.2, application/atom+xml;q=0.9", atom],
      ["text/html;q=0, */*", json],
    ],
    async (trial, accept, type) => {
      const answer = await get(trial, name, accept);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get("content-type"), type);
      assertContains(answer.headers.get("vary")?.toLowerCase(), "accept");
    },
  ),
  ...eachOf(
    `/api/${name}: refuses a caller that accepts only %s`,
    ["application/pdf", "image/*", "application/json;q=0, text/plain"],
    async (trial, accept) => {
      await expectProblem(await get(trial, name, accept), "not_acceptable");
    },
  ),
  [`/api/${name}: follows \`format\` rather than Accept`]: async (trial) => {
    const answer = await get(trial, name, "text/html", "?format=atom");
    assert.equal(answer.headers.get("content-type"), atom);
    await expectProblem(await get(trial, name, "text/html", "?format=pdf"), "invalid_parameter");
  },
});

/** Pages that come as JSON, HTML or an Atom feed, whichever the caller prefers. */
export const pageFormMessages: Cases = { ...formsOf("changelog"), ...formsOf("deprecations") };
