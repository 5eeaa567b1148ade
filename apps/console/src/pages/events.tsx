import { useEffect, useRef, useState } from "preact/hooks";
import { api, type RowOf } from "../address.ts";
import { call, useLive } from "../api.ts";
import { follow } from "../feed.ts";
import { count, moment, since } from "../format.ts";
import { href, route } from "../router.ts";
import { may } from "../session.ts";
import { eventTones } from "../states.ts";
import { Button, DialogWithForm, Empty, Fault, Field, PageHead, Tag, Time } from "../ui/basics.tsx";
import { useTotal } from "../ui/paged.tsx";
import { useKept } from "../ui/place.ts";
import { anyOr, hourChoices, QueryChip, QueryChoice, QueryText } from "../ui/query-fields.tsx";
import { useSteadyRows } from "../ui/steady-rows.ts";
import { countText } from "../ui/table.tsx";
import { VirtualList } from "../ui/virtual-list.tsx";
import { makePlan } from "./causes.tsx";
import { FirstSteps } from "./now.tsx";

/** The filters of the page's address as the API takes them. */
const filtersOf = (query: ReadonlyMap<string, string>) => ({
  "filter[provider]": query.get("provider"),
  "filter[state]": query.get("state"),
  "filter[type]": query.get("type"),
  "filter[event_id]": query.get("event_id"),
  "filter[cause]": query.get("cause"),
  "filter[received_at][gte]": since(query.get("hours")),
});

type Event = RowOf<"/admin/events">;

interface Loaded {
  readonly rows: readonly Event[];
  /** Where the list goes on; null at its end. */
  readonly next: string | null;
  readonly fault?: Error;
  /** How far a search has looked. */
  readonly searched?: { readonly lookedAt: number; readonly backTo: string | null };
}

const pageSize = 100;
const liveEveryMs = 5_000;

/** The events that fit the filters, a page at a time; the newest come by themselves while the top is in sight. */
const useEvents = (query: ReadonlyMap<string, string>) => {
  const text = query.get("text") ?? "";
  const filters = filtersOf(query);
  const key = JSON.stringify([text, filters]);
  const [kept, keep] = useKept<(Loaded & { readonly key: string }) | undefined>("events", undefined);
  const newest = useRef(kept);
  const loaded = kept;
  /** Answers may come one after the other before the page is drawn again. */
  const setLoaded = (change: (before: typeof kept) => typeof kept): void => {
    newest.current = change(newest.current);
    keep(newest.current);
  };
  /** What is being read, by its key. */
  const state = useRef<{ reading?: string | undefined; isAtTop: boolean }>({ isAtTop: true });
  const current = loaded?.key === key ? loaded : undefined;

  const readPage = async (next: string | undefined): Promise<Loaded> => {
    if (text !== "") {
      const search = api("/admin/events/search", { ...filters, text, before: next, limit: pageSize });
      const found = await call("GET", search);
      const searched = { lookedAt: found.looked_at, backTo: found.back_to };
      return { rows: found.events, next: found.complete ? null : found.next, searched };
    }
    const list = api("/admin/events", { ...filters, cursor: next, limit: pageSize });
    const { data, page } = await call("GET", list);
    return { rows: data, next: page.next_cursor };
  };

  const read = async (how: "first" | "more" | "newest"): Promise<void> => {
    if (state.current.reading === key || (how === "more" && (current === undefined || current.next === null))) return;
    state.current.reading = key;
    try {
      const page = await readPage(how === "more" ? (current?.next ?? undefined) : undefined);
      // The filters have changed since.
      if (state.current.reading !== key) return;
      setLoaded((before) => {
        if (how === "first" || before === undefined || before.key !== key) return { ...page, key };
        if (how === "more") {
          const lookedAt = (before.searched?.lookedAt ?? 0) + (page.searched?.lookedAt ?? 0);
          const searched = page.searched === undefined ? {} : { searched: { ...page.searched, lookedAt } };
          return { ...page, ...searched, key, rows: [...before.rows, ...page.rows] };
        }
        const fresh = new Map(page.rows.map((row) => [row.id, row]));
        const last = page.rows.at(-1);
        // More than a page has come, or what is shown no longer fits the filters.
        if (last === undefined || before.rows.length <= pageSize) return { ...page, key };
        const at = before.rows.findIndex(({ id }) => id === last.id);
        return at === -1 ? { ...page, key } : { ...before, rows: [...fresh.values(), ...before.rows.slice(at + 1)] };
      });
    } catch (thrown) {
      if (state.current.reading !== key) return;
      setLoaded((before) => ({
        ...(before?.key === key ? before : { rows: [], next: null, key }),
        fault: thrown as Error,
      }));
    } finally {
      if (state.current.reading === key) state.current.reading = undefined;
    }
  };
  const latest = useRef(read);
  latest.current = read;

  // On the way back the rows are there already; what has changed of them comes.
  useEffect(() => void latest.current(newest.current?.key === key ? "newest" : "first"), [key]);
  const isLive = text === "";
  useEffect(() => {
    if (!isLive) return undefined;
    const ended = new AbortController();
    let isTold = false;
    let isSoon = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    // Many events a second are read together. Without the feed, the list asks.
    const later = (ms: number): void => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        isSoon = false;
        if (!document.hidden && state.current.isAtTop) void latest.current("newest");
        later(isTold ? 6 * liveEveryMs : liveEveryMs);
      }, ms);
    };
    later(liveEveryMs);
    void follow("event", {
      signal: ended.signal,
      onNews: () => {
        if (!isSoon) later(300);
        isSoon = true;
      },
      onConnected: (isConnected) => {
        isTold = isConnected;
      },
    });
    return () => {
      ended.abort();
      clearTimeout(timer);
    };
  }, [isLive]);

  return {
    loaded: current,
    more: () => void read("more"),
    onTop: (isAtTop: boolean) => {
      state.current.isAtTop = isAtTop;
    },
  };
};

const viewsKey = "postern.views";

interface View {
  readonly name: string;
  readonly query: Readonly<Record<string, string>>;
}

const readViews = (): readonly View[] => {
  try {
    return JSON.parse(localStorage.getItem(viewsKey) ?? "[]");
  } catch {
    return [];
  }
};

/** Filters under a name, kept in this browser. */
const Views = ({ query }: { readonly query: ReadonlyMap<string, string> }) => {
  const [views, setViews] = useState(readViews);
  const [name, setName] = useState<string | undefined>();
  const keep = (next: readonly View[]): void => {
    localStorage.setItem(viewsKey, JSON.stringify(next));
    setViews(next);
    setName(undefined);
  };
  const isSaved = views.some((view) => JSON.stringify(Object.entries(view.query)) === JSON.stringify([...query]));
  return (
    <div class="views">
      <a href={href("/events")} aria-current={query.size === 0 ? "page" : undefined}>
        All
      </a>
      <a
        href={href("/events", { state: "dead" })}
        aria-current={query.size === 1 && query.get("state") === "dead" ? "page" : undefined}
      >
        Dead
      </a>
      {views.map((view) => (
        <span key={view.name} class="view">
          <a href={href("/events", view.query)}>{view.name}</a>
          <Button
            kind="quiet"
            label={`Forget the view ${view.name}`}
            onPress={() => keep(views.filter((one) => one !== view))}
          >
            ×
          </Button>
        </span>
      ))}
      {query.size === 0 || isSaved ? null : name === undefined ? (
        <Button kind="quiet" onPress={() => setName("")}>
          Save this view
        </Button>
      ) : (
        <form
          class="inline"
          onSubmit={(event) => {
            event.preventDefault();
            keep([...views.filter((one) => one.name !== name), { name, query: Object.fromEntries(query) }]);
          }}
        >
          <Field
            label="Name of the view"
            hidesLabel
            placeholder="Name"
            value={name}
            onInput={setName}
            required
            maxLength={40}
          />
          <Button type="submit">Save</Button>
        </form>
      )}
    </div>
  );
};

const EventLine = ({ event }: { readonly event: Event }) => (
  <a class="event-line" href={href(`/events/${event.id}`)}>
    <span class="number soft">{event.id}</span>
    <span class="cut">{event.provider}</span>
    <span class="cut strong" title={event.type ?? undefined}>
      {event.type ?? "–"}
    </span>
    <Tag state={event.state} />
    <span class="cut soft reason" title={event.reason ?? undefined}>
      {event.reason ?? ""}
    </span>
    <span class="number soft">
      <Time at={event.received_at} />
    </span>
  </a>
);

/** The heads of the columns. */
const EventHead = () => (
  <div class="event-head" aria-hidden="true">
    {["Event", "Sender", "Type", "State", "Reason"].map((head) => (
      <span key={head}>{head}</span>
    ))}
    <span class="number">Received</span>
  </div>
);

interface RowsProps {
  readonly loaded: Loaded;
  readonly listed: ReturnType<typeof filtersOf>;
  readonly more: () => void;
  readonly onTop: (isAtTop: boolean) => void;
}

const idOf = ({ id }: Event): string => id;

/** The rows with their heads and their number. New ones wait while the pointer is over the list. */
const Rows = ({ loaded, listed, more, onTop }: RowsProps) => {
  const { rows = [], waiting, over } = useSteadyRows(loaded.rows, idOf);
  const total = useTotal(
    loaded.searched === undefined && loaded.next !== null ? api("/admin/events", listed) : undefined,
  );
  return (
    <div {...over}>
      <p class="counted" role="status">
        {countText(rows.length, "event", loaded.next === null ? {} : total)}
        {waiting === 0 ? "" : `; ${count(waiting)} new`}
      </p>
      <EventHead />
      <VirtualList
        label="Events, newest first"
        rows={rows}
        rowHeight={narrow.matches ? 78 : 36}
        keyOf={idOf}
        draw={(event) => <EventLine event={event} />}
        onEnd={() => {
          if (loaded.searched === undefined) more();
        }}
        onTop={onTop}
      />
    </div>
  );
};

interface PlanQuarantinedProps {
  readonly plan: (reason: string) => Promise<void>;
  readonly onClose: () => void;
}

/** Asks why quarantined events run that are not as their senders promise, and plans their replay. */
const PlanQuarantined = ({ plan, onClose }: PlanQuarantinedProps) => {
  const [reason, setReason] = useState("");
  return (
    <DialogWithForm
      title="Plan a replay of quarantined events"
      verb="Plan it"
      send={() => plan(reason)}
      {...{ onClose }}
    >
      <p>
        Without a reason, the plan leaves out events that still lack what their sender promises. With one, it runs them,
        too. Their handlers get them with your reason. Bounds and schemas of handlers stay.
      </p>
      <Field label="Reason" value={reason} onInput={setReason} maxLength={500} />
    </DialogWithForm>
  );
};

const narrow = matchMedia("(max-width: 56rem)");

export const Events = () => {
  const { query } = route.value;
  const { loaded, more, onTop } = useEvents(query);
  const senders = useLive(api("/admin/providers", { limit: 100 }));
  const names = senders.data?.data.map(({ name }) => name) ?? [];
  const state = query.get("state") ?? "";
  const isFresh = loaded?.rows.length === 0 && query.size === 0;
  const isPlannable =
    may("events:replay") &&
    ["dead", "quarantined", "cancelled", "ignored"].includes(state) &&
    (loaded?.rows.length ?? 0) > 0;
  const [asksWhy, setAsksWhy] = useState(false);
  const plan = async (reason = ""): Promise<void> => {
    const { provider, type, cause, text } = Object.fromEntries(query);
    await makePlan({
      action: "replay",
      ...(reason === "" ? {} : { reason }),
      filter: Object.fromEntries(
        Object.entries({ state, provider, type, cause, text, received_since: since(query.get("hours")) }).filter(
          ([, value]) => Boolean(value),
        ),
      ),
    });
  };
  return (
    <>
      <PageHead
        title="Events"
        actions={
          isPlannable ? (
            <Button kind="main" onPress={state === "quarantined" ? () => setAsksWhy(true) : () => plan()}>
              {state === "quarantined" ? "Plan a replay of these…" : "Plan a replay of these"}
            </Button>
          ) : undefined
        }
      />
      {asksWhy ? <PlanQuarantined plan={plan} onClose={() => setAsksWhy(false)} /> : null}
      <Views query={query} />
      <search class="filters">
        <QueryChoice name="provider" label="Sender" choices={anyOr("Any sender", names)} />
        <QueryChoice name="state" label="State" choices={anyOr("Any state", Object.keys(eventTones))} />
        <QueryChoice name="hours" label="Time" choices={hourChoices} />
        <QueryText name="type" label="Type, such as invoice.*" maxLength={128} />
        <QueryChip name="event_id" label="sender's id" />
        <QueryChip name="text" />
        <QueryChip name="cause" to="/causes" />
      </search>
      <Fault fault={loaded?.fault} />
      {loaded?.searched === undefined ? null : (
        <p class="soft" role="status">
          {count(loaded.rows.length)} found among {count(loaded.searched.lookedAt)}
          {loaded.next === null || loaded.searched.backTo === null ? null : (
            <>
              , back to {moment(loaded.searched.backTo)}.{" "}
              <Button kind="quiet" onPress={more}>
                Search further
              </Button>
            </>
          )}
        </p>
      )}
      {loaded === undefined ? <p class="waiting">Loading…</p> : null}
      {isFresh && senders.data !== undefined ? <FirstSteps sender={names[0]} /> : null}
      {loaded?.rows.length === 0 && !isFresh && loaded.fault === undefined ? (
        <Empty title="No event fits these filters." />
      ) : null}
      {loaded === undefined || loaded.rows.length === 0 ? null : (
        <Rows key={JSON.stringify([...query])} {...{ loaded, more, onTop }} listed={filtersOf(query)} />
      )}
    </>
  );
};
