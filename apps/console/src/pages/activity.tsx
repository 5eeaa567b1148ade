import { useMemo } from "preact/hooks";
import { type Answer, api } from "../address.ts";
import { useLive } from "../api.ts";
import { count, dayOf, isoOf, minuteOf, moment, percent, span, zone } from "../format.ts";
import { href, route } from "../router.ts";
import { Fault } from "../ui/basics.tsx";
import { Chart, type Line } from "../ui/chart.tsx";
import { Table } from "../ui/table.tsx";

type Counts = Answer<"/admin/counts">;
type Counted = Counts["total"];

interface Reach {
  readonly name: string;
  readonly title: string;
  readonly step: "minute" | "hour" | "day";
  readonly stepMs: number;
  readonly buckets: number;
  readonly everyMs: number;
  readonly text: (time: string) => string;
  /** The zone of these texts. */
  readonly zone: (time: string) => string;
}

const hourMs = 3_600_000;
const lastHour: Reach = {
  name: "hour",
  title: "Hour",
  step: "minute",
  stepMs: 60_000,
  buckets: 60,
  everyMs: 15_000,
  text: minuteOf,
  zone,
};
const reaches: readonly Reach[] = [
  lastHour,
  { name: "day", title: "Day", step: "hour", stepMs: hourMs, buckets: 24, everyMs: 60_000, text: minuteOf, zone },
  {
    name: "month",
    title: "Month",
    step: "day",
    stepMs: 24 * hourMs,
    buckets: 30,
    everyMs: 60_000,
    text: dayOf,
    zone: () => "UTC",
  },
];

/** Zero, a number above that is easy to read, and the middle. */
const countMarks = (most: number): readonly number[] => {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  const top = ([2, 4, 6, 8].find((step) => step * power >= most) ?? 10) * power;
  return [0, top / 2, top];
};

const second = 1_000;
const spanMarks = (most: number): readonly number[] => {
  const top = [1, 2, 10, 30, 60, 120, 600, 1_800, 3_600, 7_200].find((seconds) => seconds * second >= most);
  const ms = top === undefined ? Math.ceil(most / (6 * hourMs)) * 6 * hourMs : top * second;
  return [0, ms / 2, ms];
};
/** From a millisecond on, since most take few and some take hours. */
const tookMarks = (most: number): readonly number[] => {
  const top = [100, second, 10 * second, 60 * second, hourMs, 24 * hourMs].find((ms) => ms >= most) ?? 240 * hourMs;
  return top > 10 * second ? [1, second, top] : [1, top];
};

interface WithFaultsProps {
  /** What the counts of all senders were asked with. */
  readonly span: { readonly step: string; readonly from: string };
  readonly reach: Reach;
}

/** The senders of which something was refused or began late, the worst first. */
const WithFaults = ({ span: asked, reach }: WithFaultsProps) => {
  const { data } = useLive(api("/admin/counts/providers", asked), 60_000);
  if (data === undefined) return null;
  const rows = data.providers
    .map(({ provider, received, refused, late, processed, dead }) => ({
      name: provider,
      deliveries: received + refused,
      refused: refused / Math.max(1, received + refused),
      late: Math.min(1, late / Math.max(1, processed + dead)),
    }))
    .filter(({ refused, late }) => refused + late > 0)
    .toSorted((left, right) => right.refused + right.late - left.refused - left.late);
  return (
    <section>
      <h2>Senders with faults</h2>
      <Table
        caption="Senders with faults"
        noun="sender"
        rows={rows}
        keyOf={({ name }) => name}
        hrefOf={({ name }) => href(`/senders/${name}`)}
        empty={<p class="soft">Nothing was refused over the last {reach.name}, and no job began late.</p>}
        columns={[
          { head: "Sender", cell: ({ name }) => name, isLong: true },
          { head: "Deliveries", cell: ({ deliveries }) => count(deliveries), isNumber: true },
          { head: "Refused", cell: ({ refused }) => (refused === 0 ? "–" : percent(refused)), isNumber: true },
          { head: "Began late", cell: ({ late }) => (late === 0 ? "–" : percent(late)), isNumber: true },
        ]}
      />
      {data.complete ? null : (
        <p class="soft">Only the first {count(data.providers.length)} senders by name are looked at.</p>
      )}
    </section>
  );
};

/** Four charts: what flowed, how long it took, what waited, and how long. And the senders with faults. */
export const Activity = () => {
  const reach = reaches.find(({ name }) => name === route.value.query.get("over")) ?? lastHour;
  const { step, stepMs, buckets: most } = reach;
  // Asked for by a begin that stays, so that the answer before shows while the next one comes.
  const asked = useMemo(() => {
    const from = Math.floor(Date.now() / stepMs - most + 1) * stepMs;
    return { step, from: isoOf(from) };
  }, [step, stepMs, most]);
  const { data, fault } = useLive(api("/admin/counts", asked), reach.everyMs);
  return (
    <>
      <section aria-label="Activity">
        <div class="views">
          <h2>Activity</h2>
          {reaches.map(({ name, title }) => (
            <a
              key={name}
              href={href("/", name === lastHour.name ? {} : { over: name })}
              aria-current={name === reach.name ? "true" : undefined}
            >
              {title}
            </a>
          ))}
          <span class="soft">times in {reach.zone(asked.from)}</span>
        </div>
        <Fault fault={fault} />
        {data === undefined ? <div class="charts-to-come" /> : <Charts counts={data} reach={reach} />}
      </section>
      {data === undefined ? null : <WithFaults span={asked} reach={reach} />}
    </>
  );
};

const Charts = ({ counts: { to, total, buckets }, reach }: { readonly counts: Counts; readonly reach: Reach }) => {
  const newest = Math.floor(Date.parse(to) / reach.stepMs) * reach.stepMs;
  const byTime = new Map(buckets.map((bucket) => [Date.parse(bucket.at), bucket]));
  const times = Array.from({ length: reach.buckets }, (_, at) => newest - (reach.buckets - 1 - at) * reach.stepMs);
  const moments = times.map((time) => reach.text(isoOf(time)));
  const valuesOf = (read: (bucket: Counted) => number | undefined, none: number | null) =>
    times.map((time) => {
      const bucket = byTime.get(time);
      return (bucket === undefined ? none : read(bucket)) ?? none;
    });
  const counted = (name: string, tone: Line["tone"], read: (bucket: Counted) => number): Line => {
    const values = valuesOf(read, 0);
    return { name, tone, values, whole: count(values.reduce<number>((sum, value) => sum + (value ?? 0), 0)) };
  };
  const took = (
    name: string,
    tone: Line["tone"],
    read: (latency: NonNullable<Counted["latency_ms"]>) => number,
  ): Line => ({
    name,
    tone,
    values: valuesOf(({ latency_ms: latency }) => (latency === null ? undefined : read(latency)), null),
    whole: total.latency_ms === null ? "–" : span(read(total.latency_ms)),
  });
  const mostOf = (values: readonly (number | null)[]): number => Math.max(0, ...values.map((value) => value ?? 0));
  const waiting = valuesOf((bucket) => bucket.waiting, 0);
  const oldest = valuesOf((bucket) => bucket.oldest_waiting_seconds * 1000, 0);
  const over = `Over the last ${reach.name}, by the ${reach.step}, in ${reach.zone(to)}`;
  const shared = { moments, isFilling: true };
  return (
    <div class="charts" title={`Until ${moment(to)}`}>
      <Chart
        title="Flow"
        label={`Jobs that ended, and deliveries that were refused. ${over}`}
        text={count}
        marksOf={countMarks}
        lines={[
          counted("Processed", "accent", ({ processed }) => processed),
          counted("Failed", "bad", ({ dead }) => dead),
          counted("Refused", "warn", ({ refused }) => refused),
        ]}
        {...shared}
      />
      <Chart
        title="Latency, about"
        label={`From when a job was stored to its end, at most about so long. ${over}`}
        text={span}
        marksOf={tookMarks}
        isLog
        lines={[
          took("p99", "soft", ({ about_p99: ms }) => ms),
          took("p95", "warn", ({ about_p95: ms }) => ms),
          took("p50", "accent", ({ about_p50: ms }) => ms),
        ]}
        {...shared}
      />
      <Chart
        title="Waiting"
        label={`The most jobs that waited at once. ${over}`}
        text={count}
        marksOf={countMarks}
        lines={[{ name: "At most", tone: "accent", values: waiting, whole: count(mostOf(waiting)) }]}
        {...shared}
      />
      <Chart
        title="Oldest that waited"
        label={`How long the oldest job had waited, at most. ${over}`}
        text={span}
        marksOf={spanMarks}
        lines={[{ name: "At most", tone: "warn", values: oldest, whole: span(mostOf(oldest)) }]}
        {...shared}
      />
    </div>
  );
};
