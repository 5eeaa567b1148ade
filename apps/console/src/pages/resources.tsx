import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Address, withQuery } from "../address.ts";
import { call, callWithTag, type Page } from "../api.ts";
import { visible } from "../format.ts";
import {
  type Filter,
  fits,
  type Member,
  type RowList,
  type RowPlace,
  rowListsOf,
  rowPlacesOf,
  useOpenApi,
} from "../openapi.ts";
import { Problem } from "../problem.ts";
import { go, href, route, setQuery } from "../router.ts";
import { AskingButton } from "../ui/asking.tsx";
import { Button, CodeBlock, Dialog, Empty, Fault, Field, notify, PageHead, Time } from "../ui/basics.tsx";
import { Paged } from "../ui/paged.tsx";
import { anyOr, QueryChoice } from "../ui/query-fields.tsx";
import { type Row, RowForm, textOf } from "../ui/row-form.tsx";
import { Table } from "../ui/table.tsx";

/** What the document says, and where it leads in the console. */
const useRows = () => {
  const { data, fault } = useOpenApi();
  return { fault, lists: data && rowListsOf(data), places: data && rowPlacesOf(data) };
};

/** The page of a path of the API. */
const pageOf = (path: string): string => href(`/resources${path}`);

const pathOfRow = (places: readonly RowPlace[], resource: string, id: unknown): string | undefined => {
  const place = places.find((one) => one.resource === resource && one.template.split("{").length === 2);
  return place?.template.replace(/\{[^}]+\}$/, encodeURIComponent(String(id)));
};

const Loading = () => <p class="waiting">Loading…</p>;

const Cell = ({ member, value }: { readonly member: Member; readonly value: unknown }) => {
  if (value == null || value === "") return <span class="soft">–</span>;
  if (member.kind === "time") return <Time at={String(value)} />;
  if (member.kind === "words") return <>{visible(textOf(member, value))}</>;
  if (member.kind === "json") return <code>{visible(JSON.stringify(value))}</code>;
  return <>{visible(String(value))}</>;
};

export const Resources = () => {
  const { lists, fault } = useRows();
  return (
    <>
      <PageHead title="Resources" lead="The rows of your application, as you may see them." />
      <Fault fault={fault} />
      <Table
        caption="Resources"
        noun="resource"
        rows={lists?.filter(({ template }) => !template.includes("{"))}
        keyOf={({ template }) => template}
        hrefOf={({ template }) => pageOf(template)}
        columns={[
          { head: "Resource", cell: ({ title }) => title },
          { head: "What it is", cell: ({ description }) => description, isLong: true },
          { head: "Path", cell: ({ template }) => <code>{template}</code>, isMinor: true },
        ]}
      />
    </>
  );
};

const words: Readonly<Record<string, string>> = {
  ne: "is not",
  lt: "before, below",
  lte: "up to",
  gt: "after, above",
  gte: "from",
  in: "is one of",
  nin: "is none of",
  contains: "contains",
  starts_with: "starts with",
  null: "is empty",
};

const nameOf = ({ name, operator }: Filter): string =>
  `${name} ${operator === undefined ? "is" : (words[operator] ?? operator)}`;

/** `-due_on` as `due_on ↓`. */
const orderOf = (sort: string) => [sort, sort.startsWith("-") ? `${sort.slice(1)} ↓` : `${sort} ↑`] as const;

/** Words to choose from have a field of their own; any other filter is added by its name. */
const Filters = ({ list }: { readonly list: RowList }) => {
  const { query } = route.value;
  const [chosen, setChosen] = useState("");
  const [text, setText] = useState("");
  const isChoice = ({ kind, operator }: Filter): boolean =>
    operator === undefined && (kind === "choice" || kind === "boolean");
  const others = list.filters.filter((one) => !isChoice(one));
  const set = others.filter(({ parameter }) => query.has(parameter));
  return (
    <search>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          if (chosen !== "") setQuery({ [chosen]: text });
          setText("");
        }}
      >
        {list.filters.filter(isChoice).map(({ parameter, name, kind, choices }) => (
          <QueryChoice
            key={parameter}
            name={parameter}
            label={name}
            choices={anyOr(`${name}: any`, kind === "boolean" ? ["true", "false"] : choices)}
          />
        ))}
        <QueryChoice
          name="sort"
          label="Order"
          choices={[["", "Oldest first"], ...list.sorts.filter((one) => one !== "id").map(orderOf)]}
        />
        <Field
          label="Filter by"
          hidesLabel
          value={chosen}
          choices={[["", "Filter by …"], ...others.map((one) => [one.parameter, nameOf(one)] as const)]}
          onInput={setChosen}
        />
        {chosen === "" ? null : (
          <>
            <Field
              label="Value"
              hidesLabel
              placeholder="Value"
              value={text}
              onInput={setText}
              required
              maxLength={500}
            />
            <Button type="submit">Filter</Button>
          </>
        )}
      </form>
      {set.length === 0 ? null : (
        <div class="views">
          {set.map((one) => (
            <span key={one.parameter} class="view">
              {nameOf(one)} {query.get(one.parameter)}
              <Button
                kind="quiet"
                label={`Without ${nameOf(one)}`}
                onPress={() => setQuery({ [one.parameter]: undefined })}
              >
                ×
              </Button>
            </span>
          ))}
        </div>
      )}
    </search>
  );
};

const mostColumns = 6;

/** The members that say most in a line: short ones, and when the row was made. */
const columnsOf = (members: readonly Member[]): readonly Member[] => {
  const short = members.filter(
    ({ name, kind }) => !["id", "created_at", "updated_at"].includes(name) && kind !== "json" && kind !== "prose",
  );
  // An id says little, and is long.
  const named = short.filter(({ name }) => !name.endsWith("_id"));
  return [
    ...(named.length === 0 ? short : named).slice(0, mostColumns - 1),
    ...members.filter(({ name }) => name === "created_at"),
  ];
};

interface AtPath<Operations> {
  readonly path: Address<Operations>;
  readonly places: readonly RowPlace[];
}

interface OnList {
  readonly GET: { readonly answer: Page<Row> };
  readonly POST: { readonly answer: Row; readonly body: Row };
}

interface OnRow {
  readonly GET: { readonly answer: Row };
  readonly PATCH: { readonly answer: Row; readonly body: Row };
  readonly DELETE: { readonly answer: undefined };
}

const List = ({ list, path, places }: AtPath<OnList> & { readonly list: RowList }) => {
  const { query } = route.value;
  const [isMaking, setMaking] = useState(false);
  const known = new Set([...list.filters.map(({ parameter }) => parameter), "sort"]);
  const asked = Object.fromEntries([...query].filter(([name]) => known.has(name)));
  const columns = columnsOf(list.members);
  const above = path.split("/").slice(0, -1).join("/");
  return (
    <>
      <PageHead
        title={list.title.replace(/^./, (first) => first.toUpperCase())}
        lead={list.description}
        back={above === "" ? [href("/resources"), "Resources"] : [pageOf(above), "The row above"]}
        actions={
          list.creates === undefined ? undefined : (
            <Button kind="main" onPress={() => setMaking(true)}>
              Add
            </Button>
          )
        }
      />
      <Filters key={list.template} list={list} />
      <Paged path={withQuery(path, { ...asked, limit: 50 })}>
        {(rows, refresh, total) => (
          <>
            <Table
              caption={list.title}
              noun="row"
              rows={rows}
              total={total}
              keyOf={({ id }) => String(id)}
              hrefOf={({ id }) => {
                const to = pathOfRow(places, list.resource, id);
                return to === undefined ? undefined : pageOf(to);
              }}
              empty={
                <Empty title={Object.keys(asked).length > 0 ? "No row fits these filters." : "There is no row yet."}>
                  {list.creates === undefined || Object.keys(asked).length > 0 ? null : (
                    <p>
                      Add one here, or send <code>POST {path}</code>.
                    </p>
                  )}
                </Empty>
              }
              columns={columns.map((member, at) => ({
                head: member.name,
                cell: (row: Row) => <Cell member={member} value={row[member.name]} />,
                isLong: member.kind === "text" && at === 0,
                isNumber: member.kind === "number" || member.kind === "time",
                isMinor: at > 2,
              }))}
            />
            {isMaking && list.creates !== undefined ? (
              <Dialog title={`Add to ${list.title}`} onClose={() => setMaking(false)}>
                <RowForm
                  members={list.creates}
                  row={{}}
                  verb="Add"
                  onCancel={() => setMaking(false)}
                  onSave={async (row) => {
                    const made = await call("POST", path, row);
                    notify("The row is added.");
                    setMaking(false);
                    refresh();
                    const to = pathOfRow(places, list.resource, made.id);
                    if (to !== undefined) go(`/resources${to}`);
                  }}
                />
              </Dialog>
            ) : null}
          </>
        )}
      </Paged>
    </>
  );
};

/** What somebody else changed in the meantime. */
const Conflict = ({ members, mine, theirs }: { members: readonly Member[]; mine: Row; theirs: Row }) => {
  const changed = members.filter((one) => textOf(one, mine[one.name]) !== textOf(one, theirs[one.name]));
  return (
    <div class="notice bad" role="alert">
      <p>Somebody else has changed this row. What you have typed is still here; save again to put it in place.</p>
      <ul class="changes plain">
        {changed.map((one) => (
          <li key={one.name}>
            <code>{one.name}</code>
            <del>{visible(textOf(one, mine[one.name]))}</del>
            <ins>{visible(textOf(one, theirs[one.name]))}</ins>
          </li>
        ))}
      </ul>
    </div>
  );
};

const Value = ({ member, value }: { readonly member: Member; readonly value: unknown }) => {
  if (value != null && (member.kind === "json" || member.kind === "prose") && String(value) !== "")
    return <CodeBlock text={visible(textOf(member, value))} />;
  return member.kind === "time" && value != null ? <Time at={String(value)} whole /> : <Cell {...{ member, value }} />;
};

const OneRow = ({
  place,
  path,
  places,
  lists,
}: AtPath<OnRow> & { readonly place: RowPlace; readonly lists: readonly RowList[] }) => {
  const [read, setRead] = useState<{ readonly row: Row; readonly tag: string | undefined } | undefined>();
  const [fault, setFault] = useState<Error | undefined>();
  const [isEditing, setEditing] = useState(false);
  const [before, setBefore] = useState<Row | undefined>();
  const load = async (): Promise<void> => {
    const include = place.relations.map(([name]) => name).join(",");
    // The tag of a row with others in it is not the tag of the row alone.
    const [alone, whole] = await Promise.all([
      callWithTag("GET", path),
      include === "" ? undefined : call("GET", withQuery(path, { include })).catch(() => undefined),
    ]);
    setRead({ row: { ...whole, ...alone.answer }, tag: alone.tag });
  };
  useEffect(() => {
    load().catch(setFault);
  }, [path]);
  if (read === undefined) return fault === undefined ? <Loading /> : <Fault fault={fault} />;
  const { row, tag } = read;
  const list = lists.find((one) => one.resource === place.resource && !one.template.includes("{"));
  const [named] = columnsOf(place.members);
  const near = [
    ...place.relations.flatMap(([name, resource]) => {
      const other = row[name] as Row | null | undefined;
      const to = other == null ? undefined : pathOfRow(places, resource, other.id);
      return to === undefined ? [] : [{ name, to, text: String(other?.name ?? other?.title ?? other?.id) }];
    }),
    ...lists
      .filter(({ template }) => template.startsWith(`${place.template}/`))
      .map(({ template, title }) => ({
        name: title,
        to: template.replace(/\{[^}]+\}/, encodeURIComponent(String(row.id))),
        text: "all below it",
      })),
  ];
  const stop = (): void => {
    setEditing(false);
    setBefore(undefined);
  };
  const save = async (changed: Row): Promise<void> => {
    try {
      if (Object.keys(changed).length > 0) await callWithTag("PATCH", path, { body: changed, tag });
    } catch (thrown) {
      if (!(thrown instanceof Problem && thrown.code === "precondition_failed")) throw thrown;
      setBefore(row);
      return load();
    }
    stop();
    notify("The row is saved.");
    await load();
  };
  const remove = async (): Promise<void> => {
    await callWithTag("DELETE", path, { tag });
    notify("The row is deleted.");
    go(`/resources${list?.template ?? ""}`);
  };
  return (
    <>
      <PageHead
        title={String((named && row[named.name]) ?? row.id)}
        back={[list === undefined ? href("/resources") : pageOf(list.template), list?.title ?? "Resources"]}
        lead={<code>{path}</code>}
        actions={
          isEditing ? undefined : (
            <>
              {place.changes === undefined ? null : <Button onPress={() => setEditing(true)}>Edit</Button>}
              {place.canDelete ? (
                <AskingButton kind="danger" method="DELETE" at={path} send={remove}>
                  Delete
                </AskingButton>
              ) : null}
            </>
          )
        }
      />
      {isEditing && place.changes !== undefined ? (
        <section class="aside-form">
          {before === undefined ? null : <Conflict members={place.changes} mine={before} theirs={row} />}
          <RowForm members={place.changes} row={row} verb="Save" onSave={save} onCancel={stop} />
        </section>
      ) : (
        <section>
          <dl class="pairs">
            {place.members.map((member) => [
              <dt key={`${member.name}-dt`}>{member.name}</dt>,
              <dd key={member.name}>
                <Value member={member} value={row[member.name]} />
              </dd>,
            ])}
          </dl>
        </section>
      )}
      {near.length === 0 ? null : (
        <section>
          <h2>Related rows</h2>
          <dl class="pairs">
            {near.map(({ name, to, text }) => [
              <dt key={`${name}-dt`}>{name}</dt>,
              <dd key={name}>
                <a href={pageOf(to)}>{visible(text)}</a>
              </dd>,
            ])}
          </dl>
        </section>
      )}
    </>
  );
};

export const ResourceAt = ({ parts }: { readonly parts: readonly string[] }): ComponentChildren => {
  const { lists, places, fault } = useRows();
  const path = `/${parts.map(encodeURIComponent).join("/")}`;
  if (lists === undefined || places === undefined) return fault === undefined ? <Loading /> : <Fault fault={fault} />;
  const list = lists.find(({ template }) => fits(template, path));
  if (list !== undefined) return <List {...{ list, places }} path={path as Address<OnList>} key={path} />;
  const place = places.find(({ template }) => fits(template, path));
  if (place !== undefined) return <OneRow {...{ place, places, lists }} path={path as Address<OnRow>} key={path} />;
  return <Empty title="The API has no such rows." />;
};
