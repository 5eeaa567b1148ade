import { z } from "zod";
import { defineOperation, type Operation, type OperationAnswer } from "../operations/operation.ts";
import { docsScript } from "../pages/docs-script.ts";
import { docsStyle } from "../pages/docs-style.ts";
import { assetPaths } from "../pages/html.ts";

/** A file that pages need. */
interface Asset {
  readonly id: string;
  /** Below `/api`. */
  readonly path: string;
  readonly summary: string;
  readonly contentType: string;
  readonly text: string;
}

const asset = ({ id, path, summary, contentType, text }: Asset): Operation => {
  const answer: OperationAnswer = {
    status: 200,
    headers: { "content-type": `${contentType}; charset=utf-8` },
    text,
    isLasting: true,
  };
  return defineOperation({
    id,
    method: "GET",
    path: path.replace(/^\/api/, ""),
    unversioned: true,
    access: "public",
    summary,
    tag: "about",
    success: { status: 200, description: "A file.", body: z.string(), contentType },
    handle: async () => answer,
  });
};

/** The files that the pages need. */
export const assetOperations = (): readonly Operation[] => [
  asset({
    id: "about.style",
    path: assetPaths.style,
    summary: "The style of our pages",
    contentType: "text/css",
    text: docsStyle,
  }),
  asset({
    id: "about.script",
    path: assetPaths.script,
    summary: "The script of our pages",
    contentType: "text/javascript",
    text: docsScript,
  }),
];
