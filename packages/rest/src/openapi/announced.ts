import { isObject } from "@postern/core/internal";
import { type Deprecation, replacementText } from "../deprecations/deprecation.ts";
import { pageOfDeprecation } from "../deprecations/deprecation-headers.ts";
import { marks } from "../json-schema/json-schema.ts";
import { listIn, mapMembers, objectIn, type Part, referredTo } from "./document-parts.ts";

const marked = (
  { [marks.part]: _name, ...part }: Part,
  { id, deprecated, sunset, ...deprecation }: Deprecation,
): Part => ({
  ...part,
  deprecated: true,
  "x-deprecated-at": deprecated,
  "x-sunset": sunset,
  "x-replaced-by": replacementText(deprecation),
  "x-deprecation": pageOfDeprecation(id),
});

/** The names of all schemas that a part refers to, directly or through others. */
export const schemasIn = (part: unknown, schemas: Part, found = new Set<string>()): ReadonlySet<string> => {
  for (const name of referredTo("schemas", part)) {
    if (found.has(name)) continue;
    found.add(name);
    schemasIn(schemas[name] ?? {}, schemas, found);
  }
  return found;
};

/** The headers that an answer with a deprecation notice has in addition. */
interface Told {
  readonly headers: Part;
  /** The response to a request that uses something removed. */
  readonly gone: Part;
}

/**
 * Marks deprecated operations, parameters and fields in a version's document, and adds the headers
 * of answers that say so.
 */
export const announced = (document: Part, concerned: readonly Deprecation[], told: Told): Part => {
  const components = objectIn(document, "components");
  const fieldOf = (schema: Part, field: string) =>
    concerned.find(
      ({ target }) => "resource" in target && target.resource === schema[marks.resource] && target.field === field,
    );
  const schemas = mapMembers(components.schemas, (schema) => {
    if (!isObject(schema.properties)) return schema;
    const properties = mapMembers(schema.properties, (property, name) => {
      const ending = fieldOf(schema, name);
      return ending === undefined ? property : marked(property, ending);
    });
    return { ...schema, properties };
  });
  const resources = new Set(concerned.flatMap(({ target }) => ("resource" in target ? [target.resource] : [])));

  const operation = (part: Part): Part => {
    const about = concerned.filter(
      ({ target }) => !("resource" in target) && (!("operation" in target) || target.operation === part.operationId),
    );
    const whole = about.find(({ target }) => !("parameter" in target) || target.parameter === undefined);
    const parameters = listIn(part.parameters).map((parameter) => {
      const ending = about.find(({ target }) => "parameter" in target && target.parameter === parameter.name);
      return ending === undefined || parameter.in !== "query" ? parameter : marked(parameter, ending);
    });
    const hasField = [...schemasIn([part.parameters, part.requestBody, part.responses], schemas)].some((name) => {
      const schema = schemas[name];
      return isObject(schema) && resources.has(String(schema[marks.resource]));
    });
    if (about.length === 0 && !hasField) return part;
    const responses = mapMembers(part.responses, (response) =>
      "$ref" in response
        ? response
        : {
            ...response,
            ...(marks.part in response ? { [marks.part]: `${String(response[marks.part])}_deprecated` } : {}),
            headers: { ...objectIn(response, "headers"), ...told.headers },
          },
    );
    const all = { ...part, parameters, responses: { 410: told.gone, ...responses } };
    return whole === undefined ? all : marked(all, whole);
  };

  const paths = mapMembers(document.paths, (path) => mapMembers(path, operation));
  return { ...document, paths, components: { ...components, schemas } };
};
