import { api, type RowOf } from "../address.ts";
import { useLive } from "../api.ts";
import { count, dayOf, since } from "../format.ts";
import { useOpenApi } from "../openapi.ts";
import { root } from "../root.ts";
import { href, route, setQuery } from "../router.ts";
import { apiAddress } from "../session.ts";
import { Empty, Fault, Field, PageHead, Tag, Time } from "../ui/basics.tsx";
import { Paged } from "../ui/paged.tsx";
import { hourChoices, QueryChoice, QueryText } from "../ui/query-fields.tsx";
import { Table } from "../ui/table.tsx";

type Entry = RowOf<"/admin/audit">;

/** Who did something: a user by the name, if it is among the newest, and anybody else as the log names them. */
const nameOf = ({ actor: { kind, id } }: Entry, names: ReadonlyMap<string, string>): string =>
  (kind === "user" ? names.get(id ?? "") : undefined) ?? (id === null ? kind : `${kind} ${id}`);

/** The name leads to what the same person did. */
const Actor = ({ entry, names }: { readonly entry: Entry; readonly names: ReadonlyMap<string, string> }) => {
  const { id } = entry.actor;
  const name = nameOf(entry, names);
  if (id === null || route.value.query.get("actor") === id) return <>{name}</>;
  return (
    <a href={href("/audit", { ...Object.fromEntries(route.value.query), actor: id })} title={`Only what ${name} did`}>
      {name}
    </a>
  );
};

/** What was changed; it leads to what else was done with it. */
const What = ({ resource, resource_id: id }: Entry) => {
  if (resource === null) return null;
  if (id === null) return <>{resource}</>;
  return (
    <>
      {resource} <a href={href("/audit", { id })}>{id}</a>
    </>
  );
};

/**
 * It leads to what else was done by that name. On a narrow screen it goes on in the next line after a
 * dot or a colon.
 */
const ActionName = ({ name }: { readonly name: string }) => {
  const parts = name.split(/(?<=[.:])/).flatMap((part, at) => (at === 0 ? [part] : [<wbr key={at} />, part]));
  const { query } = route.value;
  if (query.get("action") === name) return <code>{parts}</code>;
  return (
    <a href={href("/audit", { ...Object.fromEntries(query), action: name })} title="Only this action">
      <code>{parts}</code>
    </a>
  );
};

export const Audit = () => {
  const { query } = route.value;
  const users = useLive(api("/users", { limit: 100, fields: ["id", "name"], sort: "-created_at" }));
  const names = new Map((users.data?.data ?? []).map(({ id, name }) => [id, name]));
  const actor = query.get("actor");
  const known = actor === undefined || names.has(actor) ? [] : [[actor, actor] as const];
  const path = api("/admin/audit", {
    "filter[action]": query.get("action"),
    "filter[actor]": actor,
    // Who asks for an action by its name gets it, whichever it is.
    "filter[reads]": query.get("reads") === "1" || query.has("action") ? undefined : "false",
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
        <QueryChoice name="actor" label="Who" choices={[["", "Anybody"], ...known, ...names]} />
        <QueryChoice name="hours" label="Time" choices={hourChoices} />
        <QueryText name="action" label="Full action name" maxLength={64} />
        <QueryText name="id" label="Id of what changed" maxLength={64} />
        <QueryChoice
          name="reads"
          label="Reads"
          choices={[
            ["", "Without who read payloads"],
            ["1", "With who read payloads"],
          ]}
        />
      </search>
      <Paged path={path} everyMs={15_000}>
        {(rows, _refresh, total) => (
          <Table
            caption="Audit log"
            noun={["entry", "entries"]}
            rows={rows}
            total={total}
            keyOf={({ id }) => id}
            empty={<Empty title="No entry fits these filters." />}
            columns={[
              { head: "Time", cell: ({ at }) => <Time at={at} whole />, isMinor: true },
              {
                head: "Action",
                cell: (entry) => (
                  <>
                    <span class="only-narrow soft">
                      <Time at={entry.at} whole />
                    </span>
                    <ActionName name={entry.action} />
                    <span class="only-narrow soft">
                      <What {...entry} />
                    </span>
                  </>
                ),
              },
              { head: "Result", cell: ({ result }) => <Tag state={result === "done" ? "done" : "dead"}>{result}</Tag> },
              { head: "Who", cell: (entry) => <Actor {...{ entry, names }} /> },
              {
                head: "What",
                cell: (entry) => <What {...entry} />,
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

/** Whether it can be removed, and if not, why. */
const Removal = ({ use }: { readonly use: RowOf<"/admin/deprecations"> }) => {
  if (use.safe_to_remove) return <Tag state="ok">safe to remove</Tag>;
  if (use.calls > 0) return <Tag state="attention">still used</Tag>;
  return (
    <>
      <Tag state="plain">watched</Tag>
      <div class="soft">until {dayOf(use.safe_from)}</div>
    </>
  );
};

/** Who has called. An id leads to whose it is. */
const Caller = ({ client }: { readonly client: string }) => {
  const [, id] = /^[a-z_-]+:(.+)$/.exec(client) ?? [];
  return id === undefined ? (
    client
  ) : (
    <a href={href("/search", { for: id })} title="Whose it is">
      {client}
    </a>
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
      noun="use"
      rows={use.clients}
      keyOf={({ client, agent, operation, kind }) => [client, agent, operation, kind].join(" ")}
      columns={[
        { head: "Client", cell: ({ client }) => <Caller client={client} />, isLong: true },
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
          noun="item"
          rows={data?.data.toSorted((left, right) => right.calls - left.calls)}
          keyOf={({ id }) => id}
          empty={<Empty title="Nothing is deprecated." />}
          columns={[
            { head: "What", cell: ({ id }) => <code>{id}</code> },
            { head: "State", cell: ({ state }) => <Tag state={state} />, isMinor: true },
            {
              head: "Now",
              cell: (use) => <Removal use={use} />,
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
  const text = route.value.query.get("text") ?? "";
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
        <QueryText name="text" label="Words" maxLength={100} />
      </search>
      <Table
        caption="Operations"
        noun="operation"
        rows={data === undefined ? undefined : found}
        total={{ count: operations.length }}
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
