type Part = Readonly<Record<string, unknown>>;

const partOf = (value: unknown): Part => Object(value);
const entriesOf = (value: unknown): readonly (readonly [string, Part])[] =>
  Object.entries(partOf(value)).map(([name, part]) => [name, partOf(part)]);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const keyOf = (name: string): string => (/^(?:[A-Za-z_$][\w$]*|[1-9]\d*)$/.test(name) ? name : JSON.stringify(name));

/** A comment of what a part says about itself. */
const commentOf = ({ summary, description }: Part): string => {
  const said = [summary, description].filter((text) => typeof text === "string" && text !== "").join("\n");
  if (said === "") return "";
  const lines = said.replaceAll("*/", "*\\/").split("\n");
  return lines.length === 1 ? `/** ${lines[0]} */\n` : `/**\n${lines.map((line) => ` * ${line}\n`).join("")} */\n`;
};

const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, "  ");

interface Member {
  readonly name: string;
  readonly type: string;
  readonly isOptional?: boolean;
  readonly comment?: string;
}

const objectOf = (members: readonly Member[], more = ""): string => {
  const lines = members.map(
    ({ name, type, isOptional = false, comment = "" }) =>
      `${comment}${keyOf(name)}${isOptional ? "?" : ""}: ${type};\n`,
  );
  return lines.length === 0 && more === "" ? "Record<string, never>" : `{\n${indented(lines.join("") + more)}}`;
};

/** `#/components/schemas/post` as `components["schemas"]["post"]`. */
const referredOf = (reference: string): string => {
  const [, ...path] = reference.split("/");
  return path.map((name, at) => (at === 0 ? name : `[${JSON.stringify(name)}]`)).join("");
};

const union = (types: readonly string[]): string => {
  const different = [...new Set(types)];
  return different.length === 1 ? (different[0] ?? "unknown") : `(${different.join(" | ")})`;
};

const plain: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null",
};

const objectType = (schema: Part): string => {
  const required = listOf(schema.required);
  const members = entriesOf(schema.properties).map(([name, property]): Member => {
    const isOptional = !required.includes(name);
    return { name, type: typeOf(property), isOptional, comment: commentOf(property) };
  });
  const { additionalProperties: more } = schema;
  if (more === false || (more === undefined && members.length > 0)) return objectOf(members);
  const others = typeof more === "object" && Object.keys(partOf(more)).length > 0 ? typeOf(partOf(more)) : "unknown";
  // The type of an index must fit every member.
  return objectOf(members, `[name: string]: ${members.length === 0 ? others : "unknown"};\n`);
};

const typeNamed = (name: unknown, schema: Part): string => {
  if (name === "array") return `${union([typeOf(partOf(schema.items))])}[]`;
  if (name === "object") return objectType(schema);
  return plain[String(name)] ?? "unknown";
};

/** The type of a part of `allOf`, with the members that the whole requires. */
const requiring = ({ properties, required }: Part, type: string): string => {
  const others = listOf(required).filter((name) => !Object.hasOwn(partOf(properties), String(name)));
  return others.length === 0 ? type : `Requiring<${type}, ${union(others.map((name) => JSON.stringify(name)))}>`;
};

/** The type of the values that a JSON Schema allows. */
const typeOf = (schema: Part): string => {
  if (typeof schema.$ref === "string") return referredOf(schema.$ref);
  if ("const" in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return union(schema.enum.map((value) => JSON.stringify(value)));
  const alternatives = [...listOf(schema.anyOf), ...listOf(schema.oneOf)].map((one) => typeOf(partOf(one)));
  const parts = listOf(schema.allOf).map((one) => requiring(schema, typeOf(partOf(one))));
  const names = Array.isArray(schema.type) ? schema.type : schema.type === undefined ? [] : [schema.type];
  const own = names.length === 0 ? [] : [union(names.map((name) => typeNamed(name, schema)))];
  const all = [...own, ...parts, ...(alternatives.length === 0 ? [] : [union(alternatives)])];
  return all.length === 0 ? "unknown" : all.length === 1 ? (all[0] ?? "unknown") : `(${all.join(" & ")})`;
};

const contentOf = (content: unknown): string =>
  objectOf(entriesOf(content).map(([name, { schema }]) => ({ name, type: typeOf(partOf(schema)) })));

const anyHeaders = "headers: { [name: string]: unknown };\n";

const responseOf = (response: Part): string => {
  if (typeof response.$ref === "string") return referredOf(response.$ref);
  const content = "content" in response ? `content: ${contentOf(response.content)};\n` : "content?: never;\n";
  return `{\n${indented(anyHeaders + content)}}`;
};

/** Types of a document in the form that `openapi-fetch` takes. */
export const typesOf = (document: Part): string => {
  const components = partOf(document.components);
  const resolved = (part: Part): Part => {
    const [, , kind = "", name = ""] = String(part.$ref ?? "").split("/");
    return part.$ref === undefined ? part : partOf(partOf(components[kind])[name]);
  };

  const parametersOf = (operation: Part): string => {
    const parameters = listOf(operation.parameters).map((one) => resolved(partOf(one)));
    const members = ["query", "header", "path", "cookie"].map((place): Member => {
      const own = parameters.filter((one) => one.in === place);
      if (own.length === 0) return { name: place, type: "never", isOptional: true };
      const type = objectOf(
        own.map((one) => ({
          name: String(one.name),
          type: typeOf(partOf(one.schema)),
          isOptional: one.required !== true,
          comment: commentOf(one),
        })),
      );
      return { name: place, type, isOptional: own.every((one) => one.required !== true) };
    });
    return objectOf(members);
  };

  const operationOf = (operation: Part): string => {
    const body = operation.requestBody === undefined ? undefined : resolved(partOf(operation.requestBody));
    const responses = entriesOf(operation.responses).map(([name, response]) => ({ name, type: responseOf(response) }));
    return objectOf([
      { name: "parameters", type: parametersOf(operation) },
      body === undefined
        ? { name: "requestBody", type: "never", isOptional: true }
        : { name: "requestBody", type: `{ content: ${contentOf(body.content)} }`, isOptional: body.required !== true },
      { name: "responses", type: objectOf(responses) },
    ]);
  };

  const paths: Member[] = [];
  const operations: Member[] = [];
  for (const [path, methods] of entriesOf(document.paths)) {
    const known = entriesOf(methods).filter(([, operation]) => typeof operation.operationId === "string");
    for (const [, operation] of known)
      operations.push({ name: String(operation.operationId), type: operationOf(operation) });
    const type = objectOf(
      known.map(([method, operation]) => ({
        name: method,
        type: `operations[${JSON.stringify(operation.operationId)}]`,
        comment: commentOf(operation),
      })),
    );
    paths.push({ name: path, type });
  }
  const schemas = entriesOf(components.schemas).map(([name, schema]) => ({
    name,
    type: typeOf(schema),
    comment: commentOf(schema),
  }));
  const responses = entriesOf(components.responses).map(([name, response]) => ({ name, type: responseOf(response) }));
  const shared = objectOf([
    { name: "schemas", type: objectOf(schemas) },
    { name: "responses", type: objectOf(responses) },
  ]);
  const declared = (name: string, text: string): string => `export interface ${name} ${text}\n`;
  return [
    "type Requiring<Row, Names extends PropertyKey> = Row & { [Name in Names & keyof Row]-?: Row[Name] };\n",
    declared("paths", objectOf(paths)),
    declared("components", shared),
    declared("operations", objectOf(operations)),
  ].join("\n");
};
