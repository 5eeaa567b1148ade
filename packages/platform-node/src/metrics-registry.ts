type Labels = Readonly<Record<string, string>>;

interface Histogram {
  /** One more than there are bounds: the last one counts what is above all of them. */
  readonly counts: number[];
  sum: number;
}

interface Family<Series> {
  readonly series: Map<string, Series>;
  /**
   * The same series by their labels as they were given. A caller that counts often gives the same
   * labels, which then need not be sorted each time.
   */
  readonly given: GivenLabels<Series>;
  /** How many series are known by their labels as they were given. */
  givenCount: number;
}

/**
 * Leads from labels to their series, one label after the other: by name, then by value. A search
 * builds no text.
 */
interface GivenLabels<Series> {
  series: Series | undefined;
  next: Map<string, Map<string, GivenLabels<Series>>> | undefined;
}

const noLabels = <Series>(): GivenLabels<Series> => ({ series: undefined, next: undefined });

const mostSeries = 1_000;
const mostFamilies = 1_000;
/**
 * Labels that are longer in total are not kept as given but sorted each time, so that long ones
 * cannot fill the memory either.
 */
const longestKept = 512;
const boundsMs = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000];
const boundsBytes = [256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304];
const boundsPlain = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000, 100_000];

const boundsFor = (name: string): readonly number[] => {
  if (name.endsWith("_ms")) return boundsMs;
  if (name.endsWith("_seconds")) return boundsMs.map((bound) => bound / 1_000);
  return name.endsWith("_bytes") ? boundsBytes : boundsPlain;
};

const isName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name);

const escaped = (value: string): string =>
  value.slice(0, 128).replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');

/** Labels as they stand in the text form, sorted, so that equal labels are one series. */
const labelText = (labels: Labels): string =>
  Object.entries(labels)
    .filter(([name]) => isName(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(",");

const findGiven = <Series>(given: GivenLabels<Series>, labels: Labels): Series | undefined => {
  let here: GivenLabels<Series> | undefined = given;
  for (const name in labels) here = here?.next?.get(name)?.get(labels[name] ?? "");
  return here?.series;
};

const keepGiven = <Series>(given: GivenLabels<Series>, labels: Labels, series: Series): void => {
  let here = given;
  for (const name in labels) {
    here.next ??= new Map();
    const byValue: Map<string, GivenLabels<Series>> = here.next.get(name) ?? new Map();
    here.next.set(name, byValue);
    const value = labels[name] ?? "";
    const there = byValue.get(value) ?? noLabels<Series>();
    byValue.set(value, there);
    here = there;
  }
  here.series = series;
};

const lengthOf = (labels: Labels): number => {
  let length = 0;
  for (const name in labels) length += name.length + String(labels[name]).length;
  return length;
};

/**
 * Finds the series for these labels. Beyond 1,000 series of a name, all others share one, so that a
 * label with an id in it cannot fill the memory.
 */
const seriesOf = <Series>(family: Family<Series>, labels: Labels, make: () => Series): Series => {
  const known = findGiven(family.given, labels);
  if (known !== undefined) return known;
  const series = seriesByText(family, labels, make);
  if (family.givenCount < mostSeries && lengthOf(labels) <= longestKept) {
    keepGiven(family.given, labels, series);
    family.givenCount += 1;
  }
  return series;
};

const seriesByText = <Series>(family: Family<Series>, labels: Labels, make: () => Series): Series => {
  const text = labelText(labels);
  const key = family.series.has(text) || family.series.size < mostSeries ? text : 'overflow="true"';
  const known = family.series.get(key);
  if (known !== undefined) return known;
  const made = make();
  family.series.set(key, made);
  return made;
};

const noValue = (): { value: number } => ({ value: 0 });

const withBound = (labels: string, bound: string): string => `{${labels === "" ? "" : `${labels},`}le="${bound}"}`;
const braced = (labels: string): string => (labels === "" ? "" : `{${labels}}`);

const plainLines = (
  kind: "counter" | "gauge",
  name: string,
  { series }: Family<{ value: number }>,
): readonly string[] => [
  `# TYPE ${name} ${kind}`,
  ...Array.from(series, ([labels, { value }]) => `${name}${braced(labels)} ${value}`),
];

const histogramLines = (name: string, { series }: Family<Histogram>): readonly string[] => {
  const bounds = [...boundsFor(name).map(String), "+Inf"];
  const lines = [`# TYPE ${name} histogram`];
  for (const [labels, { counts, sum }] of series) {
    let total = 0;
    for (const [index, bound] of bounds.entries()) {
      total += counts[index] ?? 0;
      lines.push(`${name}_bucket${withBound(labels, bound)} ${total}`);
    }
    lines.push(`${name}_sum${braced(labels)} ${sum}`, `${name}_count${braced(labels)} ${total}`);
  }
  return lines;
};

export interface MetricsRegistry {
  count(name: string, labels?: Labels, by?: number): void;
  observe(name: string, value: number, labels?: Labels): void;
  gauge(name: string, value: number, labels?: Labels): void;
  /** Everything so far in the Prometheus text format 0.0.4. */
  render(): string;
}

/**
 * Counters, gauges and histograms of this process. Names that Prometheus would not accept, values
 * that are not finite numbers and counts below 0 are ignored. A name keeps the kind that it was
 * first used as. At most 1,000 names and 1,000 series of each.
 */
export const metricsRegistry = (): MetricsRegistry => {
  const counters = new Map<string, Family<{ value: number }>>();
  const gauges = new Map<string, Family<{ value: number }>>();
  const histograms = new Map<string, Family<Histogram>>();

  // Made once, because every request needs them.
  const notCounters = [gauges, histograms];
  const notGauges = [counters, histograms];
  const notHistograms = [counters, gauges];
  const familyOf = <Series>(
    families: Map<string, Family<Series>>,
    others: readonly ReadonlyMap<string, unknown>[],
    name: string,
  ): Family<Series> | undefined => {
    const known = families.get(name);
    if (
      known !== undefined ||
      others.some((other) => other.has(name)) ||
      !isName(name) ||
      families.size >= mostFamilies
    )
      return known;
    const made: Family<Series> = { series: new Map(), given: noLabels(), givenCount: 0 };
    families.set(name, made);
    return made;
  };

  return {
    count: (name, labels = {}, by = 1) => {
      if (!Number.isFinite(by) || by < 0) return;
      const family = familyOf(counters, notCounters, name);
      if (family !== undefined) seriesOf(family, labels, noValue).value += by;
    },
    observe: (name, value, labels = {}) => {
      if (!Number.isFinite(value)) return;
      const family = familyOf(histograms, notHistograms, name);
      if (family === undefined) return;
      const bounds = boundsFor(name);
      const made = (): Histogram => ({ counts: new Array<number>(bounds.length + 1).fill(0), sum: 0 });
      const histogram = seriesOf(family, labels, made);
      let bucket = 0;
      while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket += 1;
      histogram.counts[bucket] = (histogram.counts[bucket] ?? 0) + 1;
      histogram.sum += value;
    },
    gauge: (name, value, labels = {}) => {
      if (!Number.isFinite(value)) return;
      const family = familyOf(gauges, notGauges, name);
      if (family !== undefined) seriesOf(family, labels, noValue).value = value;
    },
    render: () => {
      const lines = [
        ...Array.from(counters, ([name, family]) => plainLines("counter", name, family)),
        ...Array.from(gauges, ([name, family]) => plainLines("gauge", name, family)),
        ...Array.from(histograms, ([name, family]) => histogramLines(name, family)),
      ].flat();
      return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
    },
  };
};
