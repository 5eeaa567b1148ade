import { AppError } from "@postern/core";
import { checkFormHead, formLimitBytes, type Gateway, parseForm } from "@postern/http";
import type { Context, Middleware } from "koa";

/** Reads the form of a request that came from a network. */
export type FormReader = (ctx: Context, network: string) => Promise<ReadonlyMap<string, string>>;

const tooLarge = (limit: number): AppError =>
  new AppError("content_too_large", { detail: `The body is longer than ${limit} bytes.` });

/**
 * Reads forms with koa-body. The bytes that it may take count against the share of the caller's
 * network while it reads. It reads them as Latin-1, which keeps every byte, so that bytes that are
 * not UTF-8 are refused and not replaced.
 * @throws AppError `content_too_large`, `unsupported_media_type`, `malformed_header`,
 *   `bad_request`, `overloaded`.
 */
export const formReader = (gateway: Gateway, limitBytes = formLimitBytes): FormReader => {
  let parser: Promise<Middleware> | undefined;
  return async (ctx, network) => {
    checkFormHead(ctx.req, limitBytes);
    const memory = gateway.budget.open(network);
    if (!memory.take(ctx.request.length ?? limitBytes)) {
      throw new AppError("overloaded", { detail: "Too many forms at once; send it again in a moment." });
    }
    try {
      parser ??= loadParser(limitBytes);
      await (await parser)(ctx, () => Promise.resolve()).catch((thrown: { readonly status?: number }) => {
        if (thrown.status === 413) throw tooLarge(limitBytes);
        throw new AppError("bad_request", { detail: "The form is malformed, or it broke off." });
      });
      return parseForm(textOf(ctx));
    } finally {
      memory.release();
    }
  };
};

/** What koa-body read, as text. */
const textOf = (ctx: Context): string => {
  const read: unknown = "rawBody" in ctx.request ? ctx.request.rawBody : "";
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(String(read), "latin1"));
  } catch {
    throw new AppError("bad_request", { detail: "The form is not valid UTF-8." });
  }
};

/**
 * Loaded with the first form: koa-body brings a reader of uploads along that takes longer to load
 * than Koa.
 */
const loadParser = async (limit: number): Promise<Middleware> => {
  const { HttpMethodEnum, koaBody } = await import("koa-body");
  return koaBody({
    urlencoded: true,
    formLimit: limit,
    encoding: "latin1",
    includeUnparsed: true,
    // Its own parser drops fields beyond its limit without a word; ours refuses them.
    queryString: { depth: 0, parameterLimit: 1, parseArrays: false },
    json: false,
    text: false,
    multipart: false,
    patchNode: false,
    parsedMethods: [HttpMethodEnum.POST],
  });
};
