import type { Resource } from "@postern/core";
import { z } from "zod";
import { principalOf, scopeFor } from "../access/principal.ts";
import { atMostTextBytes, rowBytes } from "../limits/answer-memory.ts";
import { type Operation, tableEntry } from "../operations/operation.ts";
import { presentRows } from "./included-rows.ts";
import { fieldsToRead, readAheadOf } from "./related-rows.ts";
import { oneSpoken, spoken } from "./resource-words.ts";
import { aliasHeaders, idOf, notFound } from "./row-in-path.ts";
import { fieldsParameter, includable, present, selectFields, versioned } from "./shape-parameters.ts";

export const readOperation = (resource: Resource, resources: ReadonlyMap<string, Resource>): Operation => {
  const related = includable(resource, resources);
  return tableEntry({
    id: `${resource.plural}.read`,
    method: "GET",
    path: `/${resource.plural}/{id}`,
    access: "user",
    summary: `Read ${oneSpoken(resource.name)}`,
    tag: resource.plural,
    query: z.lazy(() => z.strictObject({ fields: fieldsParameter, ...related.parameters() })),
    misnomers: related.misnomers,
    success: {
      status: 200,
      description: `The ${spoken(resource.name)}.`,
      body: z.lazy(() => related.withRelations()),
    },
    errors: ["invalid_fields", "invalid_include", "not_found", "answer_too_large"],
    handle: async (call) => {
      const principal = principalOf(call);
      const fields = selectFields(resource, principal, call.query.fields);
      const inclusions = related.inclusions(principal, call.query);
      const id = idOf(resource, call, "id");
      const scope = scopeFor(principal, resource.access.read);
      const { rows: repository } = call;
      // A row alone is shown as soon as it is read, so that rows do not pile up.
      const isAlone = inclusions.length === 0;
      if (!isAlone) await call.memory.forRows(readAheadOf(1, inclusions));
      const read = versioned(isAlone ? fields : fieldsToRead(fields, inclusions));
      const row = await repository.find(resource, id, scope, read);
      if (row === undefined) throw notFound(resource);
      const isSmall = isAlone && rowBytes(row, fields, atMostTextBytes) < call.answerBounds.bytes;
      const body = isSmall
        ? present(row, fields)
        : (await presentRows(call, [row], { resource, fields, read, inclusions })).data[0];
      return {
        status: 200,
        headers: aliasHeaders(resource, call, id),
        body,
        shown: { row, fields, withOthers: !isAlone },
      };
    },
  });
};
