import { AppError } from "@postern/core";
import type { Gateway } from "@postern/http";
import { checkFormHead, formLimitBytes, parseForm } from "@postern/http/internal";
import type { Context, Middleware } from "koa";

/**
 * Makes a reader of forms that uses koa-body. While a form is read, the bytes that it may take count
 * against the share of the caller's network. The reader takes them as Latin-1, which keeps every byte.
 * So bytes that are not UTF-8 are refused and not replaced.
 * @throws AppError `content_too_large`, `unsupported_media_type`, `malformed_header`,
 *   `bad_request`, `overloaded`.
 */
export const formReader = (gateway: Gateway, limitBytes = formLimitBytes) => {
  let parser: Promise<Middleware> | undefined;
  return async (ctx: Context, network: string): Promise<ReadonlyMap<string, string>> => {
    checkFormHead(ctx.req, limitBytes);
    const { length } = ctx.request;
    const share = await gateway.bodies.take(network, length ?? limitBytes);
    try {
      parser ??= loadParser(limitBytes);
      await (await parser)(ctx, () => Promise.resolve()).catch((thrown: { readonly status?: number }) => {
        throw thrown.status === 413
          ? new AppError("content_too_large", { detail: `The body is longer than ${limitBytes} bytes.` })
          : new AppError("bad_request", { detail: "The form is malformed, or it broke off." });
      });
      const read: unknown = "rawBody" in ctx.request ? ctx.request.rawBody : "";
      const bytes = Buffer.from(String(read), "latin1");
      return parseForm(bytes);
    } finally {
      share.release();
    }
  };
};

/**
 * Loads koa-body. It brings a reader of uploads and takes up to 0.2 s and 26 MB, and many servers never
 * get a form, so the first form waits for it.
 */
const loadParser = async (limit: number): Promise<Middleware> =>
  (await import("koa-body")).koaBody({
    formLimit: limit,
    // The bytes as Latin-1. Under that name they would be decoded one after the other, in JavaScript.
    encoding: "binary",
    includeUnparsed: true,
    // koa-body's parser silently drops fields beyond its limit. `parseForm` refuses them.
    queryString: { depth: 0, parameterLimit: 1, parseArrays: false },
    json: false,
    text: false,
  });
