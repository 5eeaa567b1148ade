import { isUtf8 } from "node:buffer";
import { Readable } from "node:stream";
import { AppError, type RequestBody } from "@postern/core";
import type { Context, Middleware } from "koa";
import type { ByteBudget } from "./byte-budget.ts";
import { checkJson } from "./check-json.ts";
import type { Exchange } from "./exchange.ts";
import { mergePatch } from "./media-type.ts";
import { readBytes } from "./read-bytes.ts";

/** Loaded with the first body: koa-body brings a reader of uploads with it that takes longer to load than Koa, and webhooks need none of it. */
const jsonParser = async (limit: number): Promise<Middleware> => {
  const { HttpMethodEnum, koaBody } = await import("koa-body");
  return koaBody({
    json: true,
    // Any JSON value: which one an operation takes is said by its schema.
    jsonStrict: false,
    jsonTypes: ["application/json", mergePatch],
    jsonLimit: limit,
    multipart: false,
    urlencoded: false,
    text: false,
    patchNode: false,
    parsedMethods: [HttpMethodEnum.POST, HttpMethodEnum.PUT, HttpMethodEnum.PATCH],
  });
};

/**
 * Makes the reader of JSON bodies. koa-body parses them, but it gets to see only bytes that are complete, within the limits and UTF-8.
 *
 * What was found in koa-body 8.0.1 (with co-body 6.2, raw-body 2.5): it decodes with replacement characters and no option makes it strict; `rawBody` is
 * that decoded text, so the loss cannot be seen afterwards (three bytes of garbage become one U+FFFD of three bytes); it inflates
 * whatever Content-Encoding says; an aborted compressed upload stays pending for ever; a type it does not list leaves the body `undefined`; its errors
 * carry the whole text. So the bytes are read, bounded and checked here, and it reads them from memory in place of the socket.
 */
export const createJsonReader = (limit: number, budget: ByteBudget) => {
  let parser: Promise<Middleware> | undefined;

  /**
   * The parsed body; `undefined` when it is empty.
   * @throws AppError `invalid_json` with a pointer, and as `readBytes`.
   */
  return async (exchange: Exchange, ctx: Context): Promise<RequestBody | undefined> => {
    const bytes = await readBytes(exchange, { limit, budget });
    try {
      if (bytes.length === 0) return undefined;
      if (!isUtf8(bytes)) throw notUtf8();
      const text = bytes.toString("utf8");
      checkJson(text);
      parser ??= jsonParser(limit);
      const parse = await parser;
      await parse(withRequest(ctx, bytes), done);
      return { value: ctx.request.body, text };
    } finally {
      budget.release(bytes.length);
    }
  };
};

const notUtf8 = (): AppError =>
  new AppError("invalid_json", {
    detail: "The body is not valid UTF-8.",
    faults: [{ pointer: "", code: "invalid_encoding", detail: "send JSON in UTF-8" }],
  });

/** The same context for koa-body, with the bytes in place of the request they came in. */
const withRequest = (ctx: Context, bytes: Buffer): Context =>
  Object.create(ctx, { req: { value: Object.assign(Readable.from([bytes], { objectMode: false }), { headers: {} }) } });

const done = () => Promise.resolve();
