import type { JsonSchema } from "@postern/core";
import { errorCatalogue, isObject } from "@postern/core/internal";
import type { ChangeLogEntry } from "../changelog/change-log-entry.ts";
import { type Deprecation, stateOf } from "../deprecations/deprecation.ts";
import { pageOfDeprecation } from "../deprecations/deprecation-headers.ts";
import { branchesOf, propertiesOf, referenced, resolved } from "../json-schema/json-schema.ts";
import type { Steps } from "../limits/steps.ts";
import { listIn, objectIn, operationsIn, type Part, type PlacedOperation } from "../openapi/document-parts.ts";
import { exampleOf } from "../openapi/example-of.ts";
import type { ProductInForce } from "../product.ts";
import type { ApiVersion } from "../versions/api-versions.ts";
import { codeSamples } from "./code-samples.ts";
import { inTag, menuOf } from "./docs-menu.ts";
import { escapeHtml, inline, pageOf } from "./html.ts";

/** The input of a version's page. */
export interface Shown {
  readonly product: ProductInForce;
  readonly version: ApiVersion;
  /** All versions, oldest first, to link to. */
  readonly versions: readonly ApiVersion[];
  /** The OpenAPI document of the version, without announced removals. */
  readonly document: Part;
  readonly changes: readonly ChangeLogEntry[];
  readonly deprecations: readonly Deprecation[];
  readonly now: number;
}

const componentsOf = ({ document }: Shown): Readonly<Record<string, JsonSchema>> =>
  // The document contains only schemas at this place.
  objectIn(document, "components", "schemas") as Readonly<Record<string, JsonSchema>>;

const typeOf = (schema: JsonSchema): string => {
  const name = referenced(schema);
  if (name !== undefined) return name;
  const branches = branchesOf(schema);
  if (branches.length > 0) return [...new Set(branches.map(typeOf))].join(" or ");
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.type === "array") return `list of ${isObject(schema.items) ? typeOf(schema.items) : "anything"}`;
  const types = Array.isArray(schema.type) ? schema.type.join(" or ") : (schema.type ?? "anything");
  return typeof schema.format === "string" && !schema.format.startsWith("int")
    ? `${types} (${schema.format})`
    : String(types);
};

const limitsOf = (schema: JsonSchema): readonly string[] => {
  const parts = [
    ...(schema.minLength === undefined || Number(schema.minLength) < 2
      ? []
      : [`at least ${schema.minLength} characters`]),
    ...(schema.maxLength === undefined ? [] : [`at most ${Number(schema.maxLength).toLocaleString("en")} characters`]),
  ];
  return schema.format === undefined ? parts : [];
};

const link = (href: string, text: string): string => `<a href="${escapeHtml(href)}">${text}</a>`;

/** A link to the entry of a change in the change log. */
const toChange = ({ id }: ChangeLogEntry, text: string): string => link(`/api/changelog?format=html#${id}`, text);

/** A note on how something differs between the versions. */
const differs = (text: string, change: ChangeLogEntry): string =>
  `<p class="differs">${inline(text)} · ${toChange(change, "why")}</p>`;

/** A note that something will be removed; none if there is no such deprecation. */
const endingNote = (ending: Deprecation | undefined, now: number): string =>
  ending === undefined
    ? ""
    : `<p class="differs"><span class="badge deprecated">${stateOf(ending, now)}</span>goes away after ${ending.sunset} · ${link(pageOfDeprecation(ending.id), "what to do")}</p>`;

/** How a field differs between the versions, and whether it will be removed. */
const notesOn = ({ version, changes, deprecations, now }: Shown, resource: unknown, field: string): string => {
  const name = `${resource}.${field}`;
  const notes = changes.flatMap((change) => {
    if (change.target.type !== "field" || change.kind === "deprecated") return [];
    const own = change.api_version === version.id;
    const concerned = own ? change.target.name === name : change.from === name;
    if (!concerned) return [];
    const other = ((own ? change.from : change.to) ?? "").split(".").slice(1).join(".");
    const text = own
      ? `${change.kind} in ${version.id}${other === "" ? "" : `: it was \`${other}\``}`
      : `in ${change.api_version} \`${other}\``;
    return [differs(text, change)];
  });
  const ending = deprecations.find(
    ({ target }) =>
      target.version === version.id && "resource" in target && `${target.resource}.${target.field}` === name,
  );
  return notes.join("") + endingNote(ending, now);
};

interface Row {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
  readonly notes: string;
}

/**
 * The members of an object, one row each. Members of inner objects follow under their own names.
 */
const rowsOf = (shown: Shown, schema: JsonSchema, prefix = ""): readonly Row[] => {
  const components = componentsOf(shown);
  const whole = resolved({ schema, components });
  const required = Array.isArray(whole.required) ? whole.required : [];
  const resource = whole["x-resource"];
  return [...propertiesOf(whole)].flatMap(([name, member]): readonly Row[] => {
    const row = {
      name: prefix + name,
      schema: member,
      required: required.includes(name),
      notes: typeof resource === "string" ? notesOn(shown, resource, name) : "",
    };
    const nested =
      referenced(member) === undefined && !propertiesOf(member).has("data") && prefix.split(".").length < 3
        ? rowsOf(shown, member, `${prefix}${name}.`)
        : [];
    return [row, ...nested];
  });
};

/** A row that `fields` can shorten is shown with all its members. */
const wholeOf = (schema: JsonSchema): JsonSchema =>
  Array.isArray(schema.anyOf) ? (branchesOf(schema)[0] ?? {}) : schema;

const tableOf = (headings: readonly string[], rows: readonly (readonly string[])[]): string =>
  `<div class="scroll"><table>
<thead><tr>${headings.map((heading) => `<th scope="col">${heading}</th>`).join("")}</tr></thead>
<tbody>
${rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("\n")}
</tbody>
</table></div>`;

/** The name of a member or a parameter, as its cell of a table. */
const nameCell = (name: string, required: boolean): string =>
  `<code>${escapeHtml(name)}</code>${required ? ' <span class="badge">required</span>' : ""}`;

const typeCell = (type: string): string => `<span class="type">${escapeHtml(type)}</span>`;

const memberTable = (shown: Shown, given: JsonSchema, request: boolean): string => {
  const schema = wholeOf(given);
  const rows = rowsOf(shown, schema);
  if (rows.length === 0) return `<p><code>${escapeHtml(typeOf(schema))}</code></p>`;
  return tableOf(
    ["Member", "Type", "What it is"],
    rows.map(({ name, schema: member, required, notes }) => [
      nameCell(name, request && required),
      typeCell([typeOf(member), ...limitsOf(member)].join(", ")),
      inline(String(member.description ?? "")) + notes,
    ]),
  );
};

const parameterRows = (parameters: readonly Part[]): string =>
  tableOf(
    ["Name", "In", "What it is"],
    parameters.map(({ name, in: place, required, description }) => [
      nameCell(String(name), required === true),
      typeCell(String(place)),
      inline(String(description ?? "")),
    ]),
  );

const isFilter = ({ name }: Part): boolean => String(name).startsWith("filter[");

const parametersSection = (parameters: readonly Part[]): string => {
  if (parameters.length === 0) return "";
  const filters = parameters.filter(isFilter);
  const others = parameters.filter((parameter) => !isFilter(parameter));
  return `<h3>Parameters</h3>
${others.length === 0 ? "" : parameterRows(others)}
${filters.length === 0 ? "" : `<details class="more"><summary>${filters.length} filters</summary>${parameterRows(filters)}</details>`}`;
};

const json = (value: unknown): string => escapeHtml(JSON.stringify(value, null, 2));

const firstContent = (holder: Part): readonly [string, Part] | undefined => {
  const [entry] = Object.entries(objectIn(holder, "content"));
  return entry === undefined ? undefined : [entry[0], objectIn(entry[1])];
};

/**
 * A body of bytes has a schema without a type. The description beside the schema explains the body.
 */
const bytesTold = ({ description }: Part, { maxLength }: Part): string => {
  const most = maxLength === undefined ? "" : ` At most ${Number(maxLength).toLocaleString("en")} bytes.`;
  return `<p>${inline(String(description ?? ""))}${most}</p>`;
};

const bodySection = (shown: Shown, operation: Part): string => {
  const body = objectIn(operation, "requestBody");
  const content = firstContent(body);
  if (content === undefined) return "";
  const [type, { schema, example }] = content;
  const isBytes = type === "*/*" && isObject(schema);
  return `<h3>Body <span class="badge">${escapeHtml(type)}</span></h3>
${isBytes ? bytesTold(body, schema) : isObject(schema) ? memberTable(shown, schema, true) : ""}
${example === undefined ? "" : `<pre tabindex="0" aria-label="Example of a body">${json(example)}</pre>`}`;
};

/** The document has no examples of answers: each follows from its schema. */
const answerExample = (shown: Shown, schema: JsonSchema): string => {
  const example = exampleOf({ schema, components: componentsOf(shown) });
  return `<pre tabindex="0" aria-label="Example of an answer">${json(example)}</pre>`;
};

/** What a response says, each error code with a link to its page. */
const whenTold = (description: unknown): string =>
  inline(String(description ?? "")).replaceAll(/<code>([a-z_]+)<\/code>/g, (whole, code: string) =>
    code in errorCatalogue ? link(`/api/problems/${code}`, whole) : whole,
  );

const answerSection = (shown: Shown, operation: Part): string => {
  const responses = Object.entries(objectIn(operation, "responses"));
  const success = responses.find(([status]) => status.startsWith("2"));
  const errors = responses.filter(([status]) => /^[3-5]/.test(status));
  const content = success === undefined ? undefined : firstContent(objectIn(success[1]));
  const schema = objectIn(content?.[1].schema);
  const items = isObject(schema.items) ? schema.items : propertiesOf(schema).get("data")?.items;
  const isJson = isObject(content?.[1].schema) && content?.[0].endsWith("json") === true;
  return `<h3>Answer <span class="badge">${success?.[0] ?? ""}</span></h3>
<p>${inline(String(objectIn(success?.[1]).description ?? ""))}</p>
${isJson ? memberTable(shown, schema, false) : ""}
${isObject(items) && rowsOf(shown, wholeOf(items)).length > 0 ? `<h4>Each of its items</h4>${memberTable(shown, items, false)}` : ""}
${isJson ? answerExample(shown, schema) : ""}
<details class="more"><summary>${errors.length} other statuses</summary>${tableOf(
    ["Status", "When"],
    errors.map(([status, response]) => [status, whenTold(objectIn(response).description)]),
  )}</details>`;
};

const inputFor = (id: string, { name, in: place, schema, required }: Part, index: number): string => {
  const input = `${id}-${index}`;
  const { examples } = objectIn(schema);
  const example = place === "path" && Array.isArray(examples) ? examples[0] : undefined;
  return `<div class="field"><label for="${input}">${escapeHtml(String(name))}</label><input id="${input}" data-in="${escapeHtml(String(place))}" data-name="${escapeHtml(String(name))}" autocomplete="off" spellcheck="false"${required === true ? " required" : ""}${example === undefined ? "" : ` placeholder="${escapeHtml(String(example))}"`}></div>`;
};

/** Only the script shows this form: without it, nothing can be sent. */
const tryForm = (shown: Shown, { method, path, operation, id }: PlacedOperation): string => {
  const parameters = listIn(operation.parameters);
  const inputs = (wanted: (parameter: Part) => boolean): readonly string[] =>
    parameters.flatMap((parameter, index) => (wanted(parameter) ? [inputFor(id, parameter, index)] : []));
  const plain = inputs((parameter) => !isFilter(parameter));
  const filters = inputs(isFilter);
  const content = firstContent(objectIn(operation, "requestBody"));
  const body =
    content === undefined
      ? ""
      : `<div class="field tall"><label for="${id}-body">body</label><textarea id="${id}-body" data-type="${content[0] === "*/*" ? "application/json" : content[0]}" spellcheck="false">${content[1].example === undefined ? "" : json(content[1].example)}</textarea></div>`;
  return `<form class="try" hidden data-operation="${id}" data-method="${method}" data-path="${escapeHtml(path)}" data-base="/api/${shown.version.id}">
<h4>Try it</h4>
${plain.join("\n")}
${filters.length === 0 ? "" : `<details class="more"><summary>Filters</summary>${filters.join("\n")}</details>`}
${body}
<button type="submit">Send</button>
<output aria-live="polite"></output>
</form>`;
};

/**
 * What changed about an operation. Changes that this version has as well are left out, because they
 * do not distinguish the two versions.
 */
const changesOf = ({ changes, version }: Shown, id: string): readonly ChangeLogEntry[] => {
  const concerned = changes.filter(({ target, kind }) => kind !== "deprecated" && target.operations.includes(id));
  const own = new Set(concerned.flatMap(({ api_version, title }) => (api_version === version.id ? [title] : [])));
  return concerned.filter(({ api_version, title }) => api_version === version.id || !own.has(title));
};

const whenChanged = ({ version }: Shown, { api_version, kind, date }: ChangeLogEntry): string => {
  if (api_version !== version.id) return `Different in ${api_version}`;
  return kind === "fixed" ? `Corrected on ${date}` : `New in ${version.id}`;
};

/** More notes than these are folded, because they would hide the operation. */
const mostNotes = 2;

const folded = (notes: readonly string[]): string =>
  notes.length <= mostNotes
    ? notes.join("\n")
    : `<details class="more"><summary>${notes.length} changes between the versions</summary>\n${notes.join("\n")}\n</details>`;

const operationNotes = (shown: Shown, id: string): string => {
  const { version, deprecations, now } = shown;
  const notes = changesOf(shown, id).map((change) => differs(`${whenChanged(shown, change)}: ${change.title}`, change));
  const ending = deprecations.find(
    ({ target }) => target.version === version.id && "operation" in target && target.operation === id,
  );
  return folded(notes) + endingNote(ending, now);
};

const operationHtml = (shown: Shown, whole: PlacedOperation): string => {
  const { method, path, operation, id } = whole;
  return `<details class="operation" id="${id}">
<summary><span class="method method-${method.toLowerCase()}">${method}</span><code class="path">${escapeHtml(path)}</code><span class="what">${inline(String(operation.summary))}</span></summary>
<div class="inside">
<p>${inline(String(operation.description))}</p>
${operationNotes(shown, id)}
${parametersSection(listIn(operation.parameters))}
${bodySection(shown, operation)}
${answerSection(shown, operation)}
${codeSamples({ base: `/api/${shown.version.id}`, method, path, operation })}
${tryForm(shown, whole)}
</div>
</details>`;
};

const start = (version: string): string => `<h2 id="start">First steps</h2>
<pre tabindex="0" aria-label="First requests">curl -s <span data-origin>https://your-server</span>/api/${version}/users -H 'content-type: application/json' \\
  -d '{"name":"Ada","email":"ada@example.com","password":"correct horse battery"}'
curl -s <span data-origin>https://your-server</span>/api/${version}/sessions -H 'content-type: application/json' \\
  -d '{"email":"ada@example.com","password":"correct horse battery"}'
curl -s <span data-origin>https://your-server</span>/api/${version}/users/me -H 'authorization: Bearer …'</pre>
<form class="credential" hidden><div><label for="token">Access token for trying things out</label>
<input id="token" type="password" autocomplete="off" spellcheck="false"></div>
<p>It stays in this tab. <a href="#sessions.create">Signing in</a> below fills it in.</p></form>`;

const overview = ({ version, changes }: Shown): string => {
  const concerned = changes.filter(({ kind }) => kind !== "deprecated");
  const titles = [...new Map(concerned.map((change) => [change.title, change])).values()];
  if (titles.length === 0) return "";
  return `<h2 id="differences">What differs between the versions</h2>
<details class="more"><summary>${titles.length} ${titles.length === 1 ? "change" : "changes"}</summary>
<ul>
${titles
  .map(
    (change) =>
      `<li>${change.api_version === version.id ? `since ${version.id}` : `in ${change.api_version}`}: ${inline(change.title)} (${toChange(change, "more")})</li>`,
  )
  .join("\n")}
</ul></details>`;
};

function* sectionSteps(
  shown: Shown,
  { name, description }: Part,
  operations: readonly PlacedOperation[],
): Steps<string> {
  const parts: string[] = [];
  for (const operation of inTag(operations, name)) {
    parts.push(operationHtml(shown, operation));
    yield;
  }
  const heading = escapeHtml(String(name));
  return `<section aria-labelledby="tag-${heading}">
<h2 id="tag-${heading}">${heading}</h2>
<p class="lead">${inline(String(description ?? ""))}</p>
${parts.join("\n")}
</section>`;
}

/**
 * A version as a page to read and to try out, made from its OpenAPI document. It is complete
 * without a script and loads nothing from elsewhere.
 */
export function* docsPageSteps(shown: Shown): Steps<string> {
  const { product, version, versions, document } = shown;
  const operations = operationsIn(document);
  const tags = listIn(document.tags);
  const sections: string[] = [];
  for (const tag of tags) sections.push(yield* sectionSteps(shown, tag, operations));
  return pageOf({
    product,
    title: `${product.api} ${version.id}`,
    version: version.id,
    versions,
    aside: menuOf(tags, operations),
    main: `<h1>${escapeHtml(product.api)} ${version.id}</h1>
${String(objectIn(document, "info").description ?? "")
  .split("\n\n")
  .map((paragraph) => `<p class="lead">${inline(paragraph)}</p>`)
  .join("\n")}
<p>Base URL: <code><span data-origin>https://your-server</span>/api/${version.id}</code></p>
${start(version.id)}
${overview(shown)}
${sections.join("\n")}`,
  });
}
