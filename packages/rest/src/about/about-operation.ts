import { z } from "zod";
import { type EngineCall, type Operation, type OperationAnswer, tableEntry } from "../operations/operation.ts";
import { htmlHeaders } from "../pages/html.ts";

/** A calendar day: `2026-01-31`. */
export const day = z.iso.date();

/** The name of a version: `v1`. */
export const versionId = z
  .string()
  .max(8)
  .regex(/^v[1-9]\d*$/, { error: "a version like v1" });

/** The forms of our pages, and their media types. */
const mediaTypes = {
  json: "application/json",
  html: "text/html",
  atom: "application/atom+xml",
  markdown: "text/markdown",
} as const;

type Form = keyof typeof mediaTypes;

/** A form in which an answer is a text for people or feed readers. */
export type TextForm = Exclude<Form, "json">;

/** An operation with which the API describes itself. Anybody may call it. */
export const aboutOperation = <Query = undefined>(
  operation: Omit<Operation<Query, undefined>, "method" | "access" | "tag">,
): Operation => tableEntry<Query, undefined>({ method: "GET", access: "public", tag: "about", ...operation });

/** The media types in addition to JSON. */
export const alternativesOf = (forms: readonly Form[]): readonly string[] =>
  forms.filter((form) => form !== "json").map((form) => mediaTypes[form]);

export const formatParameter = <const Forms extends readonly [Form, ...Form[]]>(forms: Forms) =>
  z.enum(forms).optional().meta({ description: "The form of the answer. Default: the one that `Accept` prefers." });

/** The form that a request asks for, by parameter or by `Accept`. */
export const formOf = (call: EngineCall, asked: Form | undefined): Form =>
  asked ?? ((Object.keys(mediaTypes) as Form[]).find((form) => mediaTypes[form] === call.request.accepted) || "json");

/** A text in one of the forms. */
export const textAnswer = (form: TextForm, text: string): OperationAnswer => ({
  status: 200,
  headers: form === "html" ? htmlHeaders : { "content-type": `${mediaTypes[form]}; charset=utf-8` },
  text,
});

/** The text that a request asks for, or JSON. Only the form that is wanted is made. */
export const answerIn = (
  call: EngineCall<{ readonly format?: Form | undefined }>,
  texts: { readonly [Name in TextForm]?: () => string },
  body: () => unknown,
): OperationAnswer => {
  const form = formOf(call, call.query.format);
  const text = form === "json" ? undefined : texts[form];
  return form === "json" || text === undefined ? { status: 200, body: body() } : textAnswer(form, text());
};
