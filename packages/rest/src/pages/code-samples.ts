import { isObject } from "@postern/core/internal";
import { listIn, objectIn, type Part } from "../openapi/document-parts.ts";
import { escapeHtml } from "./html.ts";

interface Sampled {
  /** `/api/v2` */
  readonly base: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Part;
}

const parametersOf = ({ operation }: Sampled): readonly Part[] => listIn(operation.parameters);

const exampleOf = (parameter: Part): string => {
  const { examples } = objectIn(parameter, "schema");
  return Array.isArray(examples) ? String(examples[0]) : "";
};

const pathOf = (sampled: Sampled): string =>
  parametersOf(sampled)
    .filter((parameter) => parameter.in === "path")
    .reduce((path, parameter) => path.replace(`{${String(parameter.name)}}`, exampleOf(parameter)), sampled.path);

const isOpen = ({ operation: { security } }: Sampled): boolean =>
  Array.isArray(security) && security.some((way) => isObject(way) && Object.keys(way).length === 0);

const headersOf = (sampled: Sampled, type: string | undefined): readonly (readonly [string, string])[] => [
  ...(isOpen(sampled) ? [] : [["authorization", "Bearer …"] as const]),
  ...(type === undefined ? [] : [["content-type", type] as const]),
  ...parametersOf(sampled)
    .filter((parameter) => parameter.in === "header" && parameter.required === true)
    .map((parameter) => [String(parameter.name).toLowerCase(), exampleOf(parameter)] as const),
];

const bodyOf = ({ operation }: Sampled): readonly [type: string, example: unknown] | undefined => {
  const [entry] = Object.entries(objectIn(operation, "requestBody", "content"));
  return entry === undefined || !isObject(entry[1]) || entry[1].example === undefined
    ? undefined
    : [entry[0], entry[1].example];
};

const inShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const curlOf = (sampled: Sampled): readonly [before: string, after: string] => {
  const body = bodyOf(sampled);
  const lines = [
    ...headersOf(sampled, body?.[0]).map(([name, value]) => `-H ${inShell(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${inShell(JSON.stringify(body[1]))}`]),
  ];
  const after = [`${sampled.base}${pathOf(sampled)}'`, ...lines].join(" \\\n  ");
  return [`curl -s -X ${sampled.method} '`, after];
};

const scriptOf = (sampled: Sampled): readonly [before: string, after: string] => {
  const body = bodyOf(sampled);
  const headers = Object.fromEntries(headersOf(sampled, body?.[0]));
  const lines = [
    `  method: ${JSON.stringify(sampled.method)},`,
    ...(Object.keys(headers).length === 0 ? [] : [`  headers: ${JSON.stringify(headers)},`]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${JSON.stringify(body[1])}),`]),
  ];
  const after = `${sampled.base}${pathOf(sampled)}", {\n${lines.join("\n")}\n});\nconsole.log(answer.status, await answer.text());`;
  return [`const answer = await fetch("`, after];
};

const sample = (language: string, [before, after]: readonly [string, string]): string =>
  `<div class="sample"><button type="button" class="copy" hidden data-copy>Copy ${language}</button>
<pre tabindex="0" aria-label="In ${language}">${escapeHtml(before)}<span data-origin>https://your-server</span>${escapeHtml(after)}</pre></div>`;

/**
 * How to call an operation with curl and from JavaScript. Each sample has a button, which only the
 * script shows.
 */
export const codeSamples = (sampled: Sampled): string =>
  `<details class="more"><summary>In curl and JavaScript</summary>
${sample("curl", curlOf(sampled))}
${sample("JavaScript", scriptOf(sampled))}
</details>`;
