import { api, type RowOf } from "../address.ts";
import { useLive } from "../api.ts";
import { count, percent } from "../format.ts";
import { serverAddress } from "../root.ts";
import { href } from "../router.ts";
import { CodeBlock, Empty, Fault, PageHead, Sentence, Tag, Time } from "../ui/basics.tsx";
import { Table } from "../ui/table.tsx";
import { Activity } from "./activity.tsx";
import { NewestEvents } from "./newest-events.tsx";

const everyMs = 5_000;

/** What to do first, while nobody has sent anything. It watches for the first event. */
export const FirstSteps = ({ sender }: { readonly sender: string | undefined }) => {
  const name = sender ?? "stripe";
  return (
    <Empty title={sender === undefined ? "No sender is set up yet." : "No event has come yet."}>
      <p>
        {sender === undefined
          ? "Three lines take the first one in, and send an event as it would:"
          : `Send an event as ${name} would:`}
      </p>
      <CodeBlock
        text={[
          ...(sender === undefined
            ? [
                `postern providers add ${name}`,
                `# at the sender, as the URL of the webhook: ${serverAddress}/api/webhooks/${name}`,
              ]
            : []),
          `postern send ${name} --url ${serverAddress}`,
        ].join("\n")}
      />
      <p class="soft">
        <span class="pulse" /> Waiting for the first event. It shows here as soon as it has come.
      </p>
    </Empty>
  );
};

const Figure = ({
  name,
  value,
  to,
}: {
  readonly name: string;
  readonly value: number | undefined;
  readonly to: string;
}) => (
  <a class="figure" href={to}>
    <span class="figure-name">{name}</span>
    <span class="figure-value">{value === undefined ? "–" : count(value)}</span>
  </a>
);

export const Now = () => {
  const health = useLive(api("/admin/health"), everyMs);
  const stats = useLive(api("/admin/stats"), everyMs);
  const causes = useLive(api("/admin/causes", { limit: 5 }), 3 * everyMs);
  const senders = useLive(api("/admin/providers", { limit: 1 }), 12 * everyMs);
  const newest = useLive(api("/admin/events", { limit: 8, sort: "-id" }), everyMs);
  const isEmpty = newest.data?.data.length === 0 && senders.data !== undefined;
  const { level = "ok", sentence = "", facts = [] } = health.data ?? {};
  return (
    <>
      <PageHead title="Now" />
      <Fault fault={health.fault} />
      {health.data === undefined ? null : (
        <section class={`health ${level}`} aria-label="Health">
          <p class="sentence" role="status">
            <Sentence text={sentence} />
          </p>
        </section>
      )}
      <div class="figures">
        <Figure name="Ready" value={stats.data?.jobs.ready} to={href("/jobs", { state: "ready" })} />
        <Figure name="Running" value={stats.data?.jobs.running} to={href("/jobs", { state: "running" })} />
        <Figure name="Later" value={stats.data?.jobs.scheduled} to={href("/jobs", { state: "scheduled" })} />
        <Figure name="Blocked" value={stats.data?.jobs.blocked} to={href("/jobs", { state: "blocked" })} />
        <Figure name="Dead" value={stats.data?.jobs.dead} to={href("/jobs", { state: "dead" })} />
        <Figure name="Done" value={stats.data?.jobs.done} to={href("/jobs", { state: "done" })} />
      </div>
      {isEmpty ? <FirstSteps sender={senders.data?.data[0]?.name} /> : <Activity />}
      <section>
        <h2>
          Facts <span class="soft">{count(facts.length)}</span>
        </h2>
        <ul class="facts">
          {facts.map(({ kind, level: how, text, mend, page }) => (
            <li key={kind + text}>
              <Tag state={how}>{how === "ok" ? "fine" : how}</Tag>
              <div>
                <p>
                  <a href={href(page)}>
                    <Sentence text={text} />
                  </a>
                </p>
                {mend === null ? null : <code>{mend}</code>}
              </div>
            </li>
          ))}
        </ul>
      </section>
      <section hidden={isEmpty}>
        <h2>
          Causes of failures <a href={href("/causes")}>all</a>
        </h2>
        <CauseTable causes={causes.data?.data} />
      </section>
      <section hidden={isEmpty}>
        <h2>
          Newest events <a href={href("/events")}>all</a>
        </h2>
        <NewestEvents rows={newest.data?.data} empty="No event has come yet." />
      </section>
    </>
  );
};

/** Why handlers fail, the most frequent first. */
export const CauseTable = ({ causes }: { readonly causes: readonly RowOf<"/admin/causes">[] | undefined }) => (
  <Table
    caption="Causes of failures"
    noun="cause"
    rows={causes}
    keyOf={({ id }) => id}
    hrefOf={({ id }) => href(`/causes/${id}`)}
    empty={<Empty title="No handler has failed." />}
    columns={[
      {
        head: "Cause",
        isLong: true,
        cell: ({ error, message }) => (
          <>
            {error === null || error === "Error" ? "" : `${error}: `}
            {message}
          </>
        ),
      },
      { head: "Handler", cell: ({ handler }) => <code>{handler}</code>, isMinor: true },
      { head: "Failures", cell: ({ failures }) => count(failures), isNumber: true },
      { head: "Share", cell: ({ share }) => percent(share), isNumber: true, isMinor: true },
      { head: "Last", cell: ({ last_at }) => <Time at={last_at} />, isNumber: true },
    ]}
  />
);
