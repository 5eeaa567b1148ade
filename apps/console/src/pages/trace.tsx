import { useState } from "preact/hooks";
import { type Answer, api, type RowOf } from "../address.ts";
import { useLive } from "../api.ts";
import { count, span, visible } from "../format.ts";
import { Empty, Fault, Time } from "../ui/basics.tsx";
import { Paged } from "../ui/paged.tsx";
import { countText } from "../ui/table.tsx";

type Trace = Answer<"/admin/events/{id}/trace">;
type Refusal = RowOf<"/admin/refusals">;

const repeatWords = ({ by, window_seconds: window }: NonNullable<Trace["repeat"]>): string => {
  const within = window === null ? "" : ` within ${span(window * 1000)}`;
  if (by === "none") return "nothing: each delivery is an event of its own";
  return `${{ id: "the same signed id", unsigned_id: "the same id, which is not signed", body: "the same body" }[by] ?? by}${within}`;
};

const keyWords = ({ tried, matched, id, named }: NonNullable<Trace["keys"]>): string => {
  const name = id ?? named;
  const which = name === null ? "" : ` (${visible(name)})`;
  if (matched !== null) return `key ${matched}${tried === null ? "" : ` of ${count(tried)}`} fits${which}`;
  if (tried === null) return name === null ? "not kept" : `named by the message${which}`;
  if (tried === 0) return `none was valid then${which}`;
  return `${tried === 1 ? "the one that was valid then does not fit" : `none of ${count(tried)} fits`}${which}`;
};

const timeWords = ({ skew_seconds: skew, tolerance_seconds: most }: NonNullable<Trace["time"]>): string => {
  const by = `${span(Math.abs(skew) * 1000)} ${skew < 0 ? "after" : "before"} it came`;
  return most === null ? by : `${by}; ${span(most * 1000)} are allowed`;
};

const Bytes = ({ of: { bytes, sha256 } }: { readonly of: NonNullable<Trace["signed"]> }) => (
  <>
    {count(bytes)} bytes <code title={`SHA-256 ${sha256}`}>{sha256.slice(0, 12)}…</code>
  </>
);

/** How a delivery was verified, step by step. No secret and no signature is in it. */
const TraceList = ({ trace }: { readonly trace: Trace }) => (
  <dl class="pairs">
    <dt>Scheme</dt>
    <dd>{trace.scheme ?? "no longer known"}</dd>
    {trace.headers.length === 0 ? null : (
      <>
        <dt>Headers looked at</dt>
        <dd>
          {trace.headers.map(({ name, length, value }) => (
            <div key={name}>
              <code>{visible(name)}</code>{" "}
              {value === null ? (
                <span class="soft">
                  {length === null ? (trace.valid ? "not kept" : "not there") : `${count(length)} characters`}
                </span>
              ) : (
                visible(value)
              )}
            </div>
          ))}
        </dd>
      </>
    )}
    <dt>The signature covers</dt>
    <dd>
      {trace.covered.join(", ") || "nothing"} {trace.content === null ? null : <code>{visible(trace.content)}</code>}
    </dd>
    {trace.signed === null ? null : (
      <>
        <dt>Signed</dt>
        <dd>
          <Bytes of={trace.signed} />
        </dd>
      </>
    )}
    {trace.body === null ? null : (
      <>
        <dt>Body</dt>
        <dd>
          <Bytes of={trace.body} />
        </dd>
      </>
    )}
    {trace.keys === null ? null : (
      <>
        <dt>Key</dt>
        <dd>{keyWords(trace.keys)}</dd>
      </>
    )}
    {trace.time === null ? null : (
      <>
        <dt>Signed at</dt>
        <dd>
          <Time at={trace.time.signed_at} whole />, {timeWords(trace.time)}
        </dd>
      </>
    )}
    {trace.repeat === null ? null : (
      <>
        <dt>A repeat is</dt>
        <dd>
          {repeatWords(trace.repeat)} {trace.repeat.key === null ? null : <code>{visible(trace.repeat.key)}</code>}
        </dd>
      </>
    )}
  </dl>
);

/** Why a stored event was accepted. */
export const EventTrace = ({ id }: { readonly id: string }) => {
  const { data, fault } = useLive(api("/admin/events/{id}/trace", { id }));
  return (
    <section>
      <h2>{data?.valid === false ? "It would be refused now" : "Why it was accepted"}</h2>
      <Fault fault={fault} />
      {data === undefined ? null : (
        <>
          {data.message === null ? null : <p class="notice">{visible(data.message)}</p>}
          {data.hint === null ? null : <p>{visible(data.hint)}</p>}
          <TraceList trace={data} />
        </>
      )}
    </section>
  );
};

const RefusalTrace = ({ id }: { readonly id: string }) => {
  const { data, fault } = useLive(api("/admin/refusals/{id}", { id }));
  return (
    <>
      <Fault fault={fault} />
      {data === undefined ? null : <TraceList trace={data.trace} />}
    </>
  );
};

/** One refusal. What to do stands once, if several in a row need the same. */
const RefusalLine = ({ refusal, newer }: { readonly refusal: Refusal; readonly newer: Refusal | undefined }) => {
  const [isOpen, setIsOpen] = useState(false);
  const { id, reason, message, hint, refused_at: at, address, bytes, unkept } = refusal;
  return (
    <li>
      <p class="refusal-head">
        <span class="strong">{visible(message ?? reason)}</span>
        <span class="soft number">
          <Time at={at} />
        </span>
      </p>
      {hint === null || hint === newer?.hint ? null : <p>{visible(hint)}</p>}
      <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary class="soft">
          <code>{reason}</code>, {count(bytes)} bytes{address === null ? "" : ` from ${visible(address)}`}
          {unkept === 0 ? "" : `; ${count(unkept)} more like it before were not kept`}
        </summary>
        {isOpen ? <RefusalTrace id={id} /> : null}
      </details>
    </li>
  );
};

/** The deliveries of a sender that were refused of late: why, and what to do. */
export const Refusals = ({ sender }: { readonly sender: string }) => (
  <section>
    <h2>Refused within a day</h2>
    <Paged path={api("/admin/refusals", { "filter[provider]": sender, limit: 5 })} everyMs={15_000}>
      {(rows, _refresh, total) =>
        rows === undefined ? null : rows.length === 0 ? (
          <Empty title="Nothing was refused." />
        ) : (
          <>
            <p class="counted">{countText(rows.length, "refusal", total)}</p>
            <ul class="plain refusals">
              {rows.map((refusal, at) => (
                <RefusalLine key={refusal.id} refusal={refusal} newer={rows[at - 1]} />
              ))}
            </ul>
          </>
        )
      }
    </Paged>
  </section>
);
