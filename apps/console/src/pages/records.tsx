import { useState } from "preact/hooks";
import { api, type RowOf } from "../address.ts";
import { useLive } from "../api.ts";
import { count } from "../format.ts";
import { useOpenApi } from "../openapi.ts";
import { root } from "../root.ts";
import { href, route, setQuery } from "../router.ts";
import { apiAddress } from "../session.ts";
import { Empty, Fault, Field, PageHead, Tag, Time } from "../ui/basics.tsx";
import { Paged } from "../ui/paged.tsx";
import { hourChoices, QueryChoice, QueryText } from "../ui/query-fields.tsx";
import { Table } from "../ui/table.tsx";
import { since } from "./causes.tsx";

/** Who did something: a user by the name, if it is among the newest, and anybody else as the log names them. */
const Actor = ({
  actor,
  names,
}: {
  readonly actor: RowOf<"/admin/audit">["actor"];
  names: ReadonlyMap<string, string>;
}) => {
  const name = actor.kind === "user" ? names.get(actor.id ?? "") : undefined;
  if (name === undefined) return <>{actor.id === null ? actor.kind : `${actor.kind} ${actor.id}`}</>;
  return (
    <a href={href(`/users/${actor.id}`)} title={actor.id ?? ""}>
      {name}
    </a>
  );
};

/** On a narrow screen it goes on in the next line after a dot or a colon. */
const ActionName = ({ name }: { readonly name: string }) => (
  <code>{name.split(/(?<=[.:])/).flatMap((part, at) => (at === 0 ? [part] : [<wbr key={at} />, part]))}</code>
);

export const Audit = () => {
  const { query } = route.value;
  const users = useLive(api("/users", { limit: 100, fields: ["id", "name"], sort: "-created_at" }));
  const names = new Map((users.data?.data ?? []).map(({ id, name }) => [id, name]));
  const path = api("/admin/audit", {
    "filter[action]": query.get("action"),
    "filter[actor]": query.get("actor"),
    "filter[resource_id]": query.get("id"),
    "filter[at][gte]": since(query.get("hours")),
    limit: 100,
  });
  return (
    <>
      <PageHead
        title="Audit"
        lead="Who changed what, from where, and what came of it. Entries are chained, so that none can be changed unseen."
      />
      <search class="filters">
        <QueryText name="action" label="Action" maxLength={100} />
        <QueryText name="actor" label="User's id" maxLength={100} />
        <QueryText name="id" label="Id of what changed" maxLength={100} />
        <QueryChoice name="hours" label="Time" choices={hourChoices} />
      </search>
      <Paged path={path} everyMs={15_000}>
        {(rows) => (
          <Table
            caption="Audit log"
            rows={rows}
            keyOf={({ id }) => id}
            empty={<Empty title="No entry fits these filters." />}
            columns={[
              { head: "Time", cell: ({ at }) => <Time at={at} whole /> },
              { head: "Action", cell: ({ action }) => <ActionName name={action} /> },
              { head: "Result", cell: ({ result }) => <Tag state={result === "done" ? "done" : "dead"}>{result}</Tag> },
              { head: "Who", cell: ({ actor }) => <Actor {...{ actor, names }} /> },
              {
                head: "What",
                cell: ({ resource, resource_id: id }) => (resource === null ? "" : `${resource} ${id ?? ""}`),
                isLong: true,
                isMinor: true,
              },
              { head: "Address", cell: ({ address }) => address, isMinor: true, isNumber: true },
            ]}
          />
        )}
      </Paged>
    </>
  );
};

/** Who still uses one deprecated thing. */
const Uses = ({ use }: { readonly use: RowOf<"/admin/deprecations"> }) => (
  <section>
    <h2>
      <code>{use.id}</code>
    </h2>
    <Table
      caption={`Who uses ${use.id}`}
      rows={use.clients}
      keyOf={({ client, agent, operation, kind }) => [client, agent, operation, kind].join(" ")}
      columns={[
        { head: "Client", cell: ({ client }) => client, isLong: true },
        { head: "Program", cell: ({ agent }) => agent },
        { head: "Operation", cell: ({ operation }) => <code>{operation}</code>, isMinor: true },
        { head: "How", cell: ({ kind }) => (kind === "asked" ? "names it" : "reads it"), isMinor: true },
        { head: "Calls", cell: ({ calls }) => count(calls), isNumber: true },
        { head: "Last", cell: ({ last_used_at: at }) => <Time at={at} />, isNumber: true },
      ]}
    />
  </section>
);

export const Versions = () => {
  const days = route.value.query.get("days") ?? "30";
  const { data, fault } = useLive(api("/admin/deprecations", { days }));
  return (
    <>
      <PageHead
        title="Versions"
        lead={
          <>
            What will be removed, and who still uses it. What has changed stands in the{" "}
            <a href={`${root}/api/changelog?format=html`}>change log</a>.
          </>
        }
        actions={
          <Field
            label="Time"
            hidesLabel
            value={days}
            choices={[
              ["1", "Last day"],
              ["7", "Last week"],
              ["30", "Last 30 days"],
              ["90", "Last 90 days"],
            ]}
            onInput={(value) => setQuery({ days: value })}
          />
        }
      />
      <Fault fault={fault} />
      <section>
        <Table
          caption="What will be removed"
          rows={data?.data.toSorted((left, right) => right.calls - left.calls)}
          keyOf={({ id }) => id}
          empty={<Empty title="Nothing is deprecated." />}
          columns={[
            { head: "What", cell: ({ id }) => <code>{id}</code> },
            { head: "State", cell: ({ state }) => <Tag state={state} />, isMinor: true },
            {
              head: "Now",
              cell: ({ safe_to_remove: isSafe }) => (
                <Tag state={isSafe ? "ok" : "attention"}>{isSafe ? "safe to remove" : "still used"}</Tag>
              ),
            },
            { head: "Named it", cell: ({ calls_asked: calls }) => count(calls), isNumber: true, isMinor: true },
            { head: "Read it", cell: ({ calls_sent: calls }) => count(calls), isNumber: true, isMinor: true },
            { head: "Ends", cell: ({ sunset_at: day }) => day, isNumber: true },
          ]}
        />
      </section>
      {data?.data
        .filter(({ clients }) => clients.length > 0)
        .map((use) => (
          <Uses key={use.id} use={use} />
        ))}
    </>
  );
};

/** Every operation of the newest version, found by any of its words; it is tried out in its documentation. */
export const ApiDocs = () => {
  const { data, fault } = useOpenApi();
  const [text, setText] = useState("");
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const operations = Object.entries(data?.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId, summary = "", description = "" }]) =>
      operationId === undefined
        ? []
        : [
            {
              method: method.toUpperCase(),
              path,
              id: operationId,
              summary,
              all: `${method} ${path} ${operationId} ${summary} ${description}`.toLowerCase(),
            },
          ],
    ),
  );
  const found = operations.filter(({ all }) => words.every((word) => all.includes(word)));
  return (
    <>
      <PageHead
        title="API"
        lead={
          <>
            Every operation. Its fields and errors, and a form to try it, stand in the{" "}
            <a href={apiAddress("/docs")}>documentation</a>.
          </>
        }
      />
      <Fault fault={fault} />
      <search class="filters">
        <Field
          label="Words"
          hidesLabel
          type="search"
          placeholder="Words"
          value={text}
          onInput={setText}
          maxLength={100}
        />
        <span class="soft" role="status">
          {data === undefined ? "" : `${found.length} of ${operations.length}`}
        </span>
      </search>
      <Table
        caption="Operations"
        rows={data === undefined ? undefined : found}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => apiAddress(`/docs#${id}`)}
        empty={<Empty title="No operation has all these words." />}
        columns={[
          { head: "Operation", cell: ({ method, path }) => <code class="operation">{`${method} ${path}`}</code> },
          { head: "What it does", cell: ({ summary }) => summary, isLong: true, isMinor: true },
        ]}
      />
    </>
  );
};
