import { AppError } from "@postern/core";
import { type Gateway, refuseCodings } from "@postern/http";
import { openTurn } from "@postern/http/node";
import type { Middleware } from "koa";
import { give } from "./koa-middleware.ts";

const formType = "application/x-www-form-urlencoded";

/**
 * Reads a form (`application/x-www-form-urlencoded`) into `ctx.request.body`, an object of texts, for
 * routes that OAuth and browsers send forms to. koa-body parses it on the real request. It never sees a
 * compressed body, another media type, or a body that announces more than the limit, because it inflates
 * what it gets and leaves unknown types unread. Its errors carry the text of the body, so none is passed on.
 * Whatever is wrong is answered as a problem: 413, 415, or 400. `limitBytes` is 64 KiB by default.
 */
export const formBody = (gateway: Gateway, { limitBytes = 64 * 1024 } = {}): Middleware => {
  let parser: Promise<Middleware> | undefined;
  return async (ctx, next) => {
    try {
      refuseCodings(ctx.req);
      if (ctx.is(formType) !== formType) {
        throw new AppError("unsupported_media_type", {
          detail: `Send the body as ${formType}.`,
          headers: { accept: formType },
        });
      }
      if ((ctx.request.length ?? 0) > limitBytes) throw tooLarge(limitBytes);
      parser ??= loadParser(limitBytes);
      await (await parser)(ctx, () => Promise.resolve()).catch((thrown: { readonly status?: number }) => {
        if (thrown.status === 413) throw tooLarge(limitBytes);
        throw new AppError("bad_request", { detail: "The form is malformed, or it broke off." });
      });
    } catch (thrown) {
      const turn = openTurn(gateway, ctx.req, ctx.res, ctx.originalUrl);
      ctx.respond = false;
      give(ctx, gateway, turn, gateway.answerFault(thrown, turn.exchange));
      return;
    }
    await next();
  };
};

const tooLarge = (limit: number): AppError =>
  new AppError("content_too_large", { detail: `The body is longer than ${limit} bytes.` });

/** Loaded with the first form: koa-body brings a reader of uploads along that takes longer to load than Koa. */
const loadParser = async (limit: number): Promise<Middleware> => {
  const { HttpMethodEnum, koaBody } = await import("koa-body");
  return koaBody({
    urlencoded: true,
    formLimit: limit,
    // Names are texts: `a[b]` is the name of one field and builds no object.
    queryString: { depth: 0, parameterLimit: 100, parseArrays: false },
    json: false,
    text: false,
    multipart: false,
    patchNode: false,
    parsedMethods: [HttpMethodEnum.POST],
  });
};
