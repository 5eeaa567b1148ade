import { scopesOf, useOpenApi } from "../openapi.ts";
import { Table } from "../ui/table.tsx";

/** `events:replay` as its area and its verb. */
const split = (scope: string): readonly [area: string, verb: string] => {
  const [area = "", verb = ""] = scope.split(":");
  return [area, verb];
};

const includes = (patterns: readonly string[], scope: string): boolean => {
  const [area, verb] = split(scope);
  return [scope, "*", `${area}:*`, `*:${verb}`].some((one) => patterns.includes(one));
};

/** What each role may do, from the document: beyond its own rows, which every role may use. */
export const Roles = () => {
  const { data } = useOpenApi();
  if (data === undefined) return null;
  const roles = Object.entries(data["x-roles"]);
  const scopes = scopesOf(data, "/admin/");
  const areas = [...new Set(scopes.map((scope) => split(scope)[0]))];
  return (
    <section class="below">
      <h2>What each role may do</h2>
      <dl class="pairs">
        {roles.map(([name, { description }]) => [
          <dt key={`${name}-dt`}>
            <code>{name}</code>
          </dt>,
          <dd key={name}>{description}</dd>,
        ])}
      </dl>
      <Table
        caption="What each role may do"
        noun="area"
        rows={areas}
        keyOf={(area) => area}
        columns={[
          { head: "Operators only", cell: (area) => area.replaceAll("-", " ") },
          ...roles.map(([name, { scopes: patterns }]) => ({
            head: name,
            cell: (area: string) => {
              const held = scopes.filter((scope) => split(scope)[0] === area && includes(patterns, scope));
              return held.length === 0 ? <span class="soft">–</span> : held.map((scope) => split(scope)[1]).join(", ");
            },
          })),
        ]}
      />
    </section>
  );
};
