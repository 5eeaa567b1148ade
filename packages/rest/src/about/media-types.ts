import { z } from "zod";
import type { Call, OperationAnswer } from "../operations/operation.ts";
import { htmlHeaders } from "../pages/html.ts";

/** The forms of our pages, and their media types. */
const mediaTypes = {
  json: "application/json",
  html: "text/html",
  atom: "application/atom+xml",
  markdown: "text/markdown",
} as const;

export type Form = keyof typeof mediaTypes;

/** The media types in addition to JSON. */
export const alternativesOf = (forms: readonly Form[]): readonly string[] =>
  forms.filter((form) => form !== "json").map((form) => mediaTypes[form]);

export const formatParameter = <const Forms extends readonly [Form, ...Form[]]>(forms: Forms) =>
  z.enum(forms).optional().meta({ description: "The form of the answer. Default: the one that `Accept` prefers." });

/** The form that a request asks for, by parameter or by `Accept`. */
export const formOf = (call: Call, asked: Form | undefined): Form =>
  asked ?? ((Object.keys(mediaTypes) as Form[]).find((form) => mediaTypes[form] === call.request.accepted) || "json");

/** A text in one of the forms. */
export const textAnswer = (form: Exclude<Form, "json">, text: string): OperationAnswer => ({
  status: 200,
  headers: form === "html" ? htmlHeaders : { "content-type": `${mediaTypes[form]}; charset=utf-8` },
  text,
});
