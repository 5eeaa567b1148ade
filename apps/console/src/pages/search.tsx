import { useEffect, useRef, useState } from "preact/hooks";
import { api, type RowOf } from "../address.ts";
import { useLive } from "../api.ts";
import { counted, moment } from "../format.ts";
import { go, href, route } from "../router.ts";
import { may } from "../session.ts";
import { Empty, Fault, PageHead, Tag, Time } from "../ui/basics.tsx";
import { Table } from "../ui/table.tsx";
import { NewestEvents } from "./newest-events.tsx";

type Found = RowOf<"/admin/find">;

const kinds: Readonly<Record<Found["kind"], readonly [title: string, address: (id: string) => string]>> = {
  event: ["Event", (id) => href(`/events/${id}`)],
  job: ["Job", (id) => href(`/jobs/${id}`)],
  plan: ["Plan", (id) => href(`/plans/${id}`)],
  cause: ["Cause", (id) => href(`/causes/${id}`)],
  provider: ["Sender", (id) => href(`/senders/${id}`)],
  user: ["User", (id) => href(`/users/${id}`)],
  session: ["Session", () => href("/sessions")],
  api_key: ["API key", () => href("/api-keys")],
  client: ["Client", () => href("/clients")],
  audit_entries: ["Audit log", (id) => href("/audit", { id })],
};

/** The one field that finds anything. `/` leads to it from anywhere. */
export const SearchField = () => {
  const given = route.value.path === "/search" ? (route.value.query.get("for") ?? "") : "";
  const [text, setText] = useState(given);
  const element = useRef<HTMLInputElement>(null);
  useEffect(() => setText(given), [given]);
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
      event.preventDefault();
      element.current?.select();
    };
    addEventListener("keydown", focus);
    return () => removeEventListener("keydown", focus);
  }, []);
  return (
    <search class="anything">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== "") go("/search", { for: text.trim() });
        }}
      >
        <input
          ref={element}
          type="search"
          aria-label="Search for an id, a type or a text"
          placeholder="Id, type.* or text"
          title="An id of anything, a type with * for any characters, or a text in payloads. Press / to come here."
          value={text}
          maxLength={200}
          onInput={({ currentTarget: { value } }) => setText(value)}
        />
      </form>
    </search>
  );
};

/** What has this id. */
const ById = ({ text }: { readonly text: string }) => {
  const { data, fault } = useLive(api("/admin/find", { id: text }));
  return (
    <section>
      <h2>By its id</h2>
      <Fault fault={fault} />
      <Table
        caption="Found by id"
        noun={["match", "matches"]}
        rows={fault === undefined ? data?.data : []}
        keyOf={({ kind, id }) => `${kind} ${id}`}
        hrefOf={({ kind, id }) => kinds[kind][1](id)}
        empty={<p class="soft">Nothing has this id.</p>}
        columns={[
          { head: "What", cell: ({ kind }) => kinds[kind][0] },
          { head: "Id", cell: ({ id }) => <span class="code-like">{id}</span>, isMinor: true },
          { head: "Name", cell: ({ title }) => title ?? "–", isLong: true },
          { head: "State", cell: ({ state }) => (state === null ? "" : <Tag state={state} />) },
          { head: "Time", cell: ({ at }) => <Time at={at} />, isNumber: true },
        ]}
      />
    </section>
  );
};

const most = 20;

/** Events of this type, or of types that fit the pattern. */
const ByType = ({ text }: { readonly text: string }) => {
  const { data, fault } = useLive(
    text.length > 128 ? undefined : api("/admin/events", { "filter[type]": text, limit: most }),
  );
  return (
    <section>
      <h2>
        Events of this type <a href={href("/events", { type: text })}>all</a>
      </h2>
      <Fault fault={fault} />
      <NewestEvents rows={fault === undefined ? data?.data : []} empty="No event is of this type." />
    </section>
  );
};

/** Events whose payload contains the text. */
const ByText = ({ text }: { readonly text: string }) => {
  const { data, fault } = useLive(api("/admin/events/search", { text, limit: most }));
  return (
    <section>
      <h2>
        Events with this text <a href={href("/events", { text })}>all</a>
      </h2>
      <Fault fault={fault} />
      <NewestEvents rows={fault === undefined ? data?.events : []} empty="None of the newest events contains it." />
      {data === undefined || data.complete || data.back_to === null ? null : (
        <p class="soft">
          The newest {counted(data.looked_at, "event")} were looked at, back to {moment(data.back_to)}.
        </p>
      )}
    </section>
  );
};

/** What has this id, is of this type, or contains this text. */
export const Search = () => {
  const text = (route.value.query.get("for") ?? "").slice(0, 200);
  if (text === "")
    return (
      <>
        <PageHead title="Search" />
        <Empty title="Type an id, a type or a text into the field.">
          <p>
            Any id of Postern or of a sender; a type, with <code>*</code> for any characters; or a text that payloads
            contain.
          </p>
        </Empty>
      </>
    );
  const isPattern = text.includes("*");
  return (
    <>
      <PageHead title="Search" lead={`For “${text}”.`} />
      {isPattern ? null : <ById text={text} />}
      <ByType text={text} />
      {isPattern || !may("events:reveal") ? null : <ByText text={text} />}
    </>
  );
};
