import { newJob } from "@postern/jobs";
import { testPostern } from "@postern/testing";
import { expect, test } from "vitest";
import { invoice } from "../invoices/invoice.ts";
import { report, thank } from "../operations/mails.ts";
import { search } from "../operations/search.ts";
import { sendInvoice } from "../operations/send-invoice.ts";
import { presigned, signUpload } from "../operations/signed-upload.ts";
import { countInvoices, versions } from "../operations/versions.ts";
import { who } from "../operations/who.ts";

const draft = { number: "2026-0042", amount: 12.5, currency: "EUR", due_on: "2026-01-31" };
const bucket = {
  url: "https://examplebucket.s3.amazonaws.com",
  region: "us-east-1",
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
};

test("an invoice is sent once, by its owner, with a mail", async () => {
  await using t = await testPostern({ resources: [invoice], operations: [sendInvoice, search] });
  const [ada, bob] = [t.as("Ada"), t.as("Bob")];
  const { body } = await ada.post("/invoices", draft);
  const path = `/invoices/${body.id}/send`;
  const request = { to: "customer@example.com", note: "Hello." };
  expect((await bob.post(path, request)).status).toBe(404);
  const sent = await ada.post(path, request);
  expect(sent).toMatchObject({ status: 200, body: { number: "2026-0042", sent_at: "2026-01-01T00:00:00.000Z" } });
  const again = await ada.post(path, request);
  expect([again.status, again.body.code]).toEqual([409, "not_a_draft"]);
  await t.drain();
  expect(t.sent().mails).toMatchObject([
    {
      to: "customer@example.com",
      subject: "Invoice 2026-0042",
      text: "Hello.\n\nPlease pay 12.5 EUR by 2026-01-31.\n",
    },
  ]);
  expect((await bob.get("/search?state=sent")).body).toEqual({ numbers: [], of_all_users: 1 });
  expect((await ada.get("/search?state=sent")).body).toEqual({ numbers: ["2026-0042"], of_all_users: 1 });
});

test("an operation and a job send mails", async () => {
  await using t = await testPostern({ jobs: [thank], schedules: [report], operations: [who] });
  await t.enqueue(newJob(thank, { email: "ada@example.com" }));
  await t.drain();
  await t.advance("8h");
  await t.drain();
  expect(t.sent().mails).toMatchObject([
    { to: "ada@example.com", html: "<p>We have your money.</p>" },
    { to: "boss@example.com", text: "There are 0.\n" },
  ]);
  expect((await t.as("Ada").get("/who")).body).toMatchObject({ role: "user", credential: "session" });
});

test("an operation moves and goes with a version", async () => {
  await using t = await testPostern({ resources: [invoice], versions, operations: [countInvoices] });
  const { app } = t.postern;
  const pathsOf = (version: string) => Object.keys(Object(app.openApi(version).paths));
  expect(pathsOf("v3")).toEqual(expect.arrayContaining(["/statistics/invoices"]));
  expect(pathsOf("v3")).not.toContain("/count");
  expect(pathsOf("v1")).toEqual(expect.arrayContaining(["/invoice-count", "/count"]));
  expect(pathsOf("v1")).not.toContain("/statistics/invoices");
});

// "Authenticating Requests: Using Query Parameters (AWS Signature Version 4)", Amazon S3 API Reference:
// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
test("a URL is signed as the example of Amazon's reference", () => {
  const url = presigned(bucket, "GET", "test.txt", {}, Date.parse("2013-05-24T00:00:00Z"), 86_400);
  expect(url).toBe(
    "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
  );
});

test("a user gets a URL to send a file to, for its type and length alone", async () => {
  await using t = await testPostern({ operations: [signUpload(bucket)] });
  const { status, body } = await t.as("Ada").post("/uploads", { type: "image/png", bytes: 1_000 });
  expect([status, body.headers]).toEqual([200, { "content-length": "1000", "content-type": "image/png" }]);
  expect(body.url).toContain(`/${body.key}?`);
  expect(body.url).toContain("X-Amz-Expires=300&X-Amz-SignedHeaders=content-length%3Bcontent-type%3Bhost&");
  const refused = await t.as("Ada").post("/uploads", { type: "text/html", bytes: 1_000 });
  expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, "/type"]);
});
