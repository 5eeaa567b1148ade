import type { DeliveryResult, DeliverySum } from "@postern/core/ports";
import { type HealthFact, type HealthSnapshot, overMs } from "./health.ts";
import { isAboutKeys, isAboutTime, isUnsigned, refusalWords } from "./refusal-words.ts";
import { inDigits, spanOf } from "./words.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Fewer refusals than this are strangers who try a public address. */
const fewRefused = 3;
/** From this share on, refusals among good deliveries are worth a look. */
const manyOfAll = 0.1;
const mostShown = 10;

const stored: ReadonlySet<DeliveryResult> = new Set(["accepted", "duplicate", "ignored", "quarantined"]);

const total = (sums: readonly DeliverySum[]): number => sums.reduce((sum, { deliveries }) => sum + deliveries, 0);
const inState = (sums: readonly DeliverySum[], result: DeliveryResult): number =>
  total(sums.filter((one) => one.result === result));

/** How many deliveries of the last hour were stored, or had been before. */
export const storedDeliveries = (sums: readonly DeliverySum[]): number =>
  total(sums.filter(({ result }) => stored.has(result)));

const environmentName = (provider: string): string => `WEBHOOK_${provider.toUpperCase().replaceAll("-", "_")}_SECRET`;

const keyMend = (provider: string, { configured }: HealthSnapshot): string =>
  configured.has(provider)
    ? `set ${environmentName(provider)} or the provider's keys in the configuration, then restart with postern serve`
    : `postern providers rotate ${provider}`;

const mendOf = (provider: string, reason: string, snapshot: HealthSnapshot): string => {
  if (isAboutTime(reason)) return "set this machine's clock by a time server; postern doctor compares clocks";
  if (isAboutKeys(reason)) return keyMend(provider, snapshot);
  return `postern refusals list --provider ${provider}`;
};

const pageOf = (provider: string): string => `/senders/${encodeURIComponent(provider)}`;

/** When the key was last changed, if a change of it can be the cause. */
const changeOf = (provider: string, reason: string, { keyChanges, now }: HealthSnapshot): string => {
  const changed = keyChanges.get(provider);
  if (changed === undefined || !isAboutKeys(reason)) return "";
  return `; its key was changed ${spanOf(now - changed)} ago`;
};

const spanRefused = (since: number, now: number): string => {
  if (now - since >= hourMs - minuteMs) return "more than an hour";
  return now - since < minuteMs ? "less than a minute" : spanOf(now - since);
};

const goesOn = (lastMinute: number, { now }: Pick<HealthSnapshot, "now">): boolean =>
  now - lastMinute <= overMs + minuteMs;

/** Deliveries of one sender that were refused, if they are worth telling. */
const refusedFact = (
  provider: string,
  own: readonly DeliverySum[],
  snapshot: HealthSnapshot,
): HealthFact | undefined => {
  const all = own.filter(({ result, reason }) => result === "refused" && !isUnsigned(reason));
  const refused = all.filter(({ lastMinute }) => goesOn(lastMinute, snapshot));
  const page = pageOf(provider);
  const count = total(refused);
  const [worst] = refused.toSorted((left, right) => right.deliveries - left.deliveries);
  const good = own.filter(({ result }) => stored.has(result));
  // A few of many are strangers; where nothing else came, each may be the sender.
  if (worst === undefined || (count < fewRefused && total(good) > 0)) return undefined;
  const lastGood = Math.max(0, ...good.map(({ lastMinute }) => lastMinute));
  const { reason } = worst;
  const mend = mendOf(provider, reason, snapshot);
  if (lastGood < Math.max(...refused.map(({ lastMinute }) => lastMinute))) {
    const since = Math.max(lastGood, Math.min(...refused.map(({ firstMinute }) => firstMinute)));
    const text = `${provider} has been refused for ${spanRefused(since, snapshot.now)}: ${refusalWords(reason)}`;
    const level = count < fewRefused ? "attention" : "stopped";
    return { kind: "refused", level, text: `${text}${changeOf(provider, reason, snapshot)}.`, mend, page };
  }
  const together = count + total(good);
  if (count < manyOfAll * together) return undefined;
  const text = `${inDigits(count)} of ${inDigits(together)} deliveries from ${provider} were refused in the last hour: ${refusalWords(reason)}.`;
  return { kind: "partly_refused", level: "attention", text, mend, page };
};

const deliveriesFrom = (count: number, provider: string): string =>
  `${inDigits(count)} ${count === 1 ? "delivery" : "deliveries"} from ${provider}`;

const factsOf = (provider: string, own: readonly DeliverySum[], snapshot: HealthSnapshot): readonly HealthFact[] => {
  const facts: HealthFact[] = [];
  const page = pageOf(provider);
  const refused = refusedFact(provider, own, snapshot);
  if (refused !== undefined) facts.push(refused);
  const going = own.filter(({ lastMinute }) => goesOn(lastMinute, snapshot));
  const unsigned = total(going.filter(({ result, reason }) => result === "refused" && isUnsigned(reason)));
  if (unsigned > 0 && storedDeliveries(own) === 0 && refused === undefined) {
    facts.push({
      kind: "unsigned",
      level: "attention",
      text: `${deliveriesFrom(unsigned, provider)} came without a signature in the last hour, and none with one.`,
      mend: "give the sender a secret, if it was the sender; its scheme shows postern providers list",
      page,
    });
  }
  const busy = inState(going, "busy");
  if (busy > 0) {
    const text = `${deliveriesFrom(busy, provider)} could not be stored in time in the last hour; the sender tries again.`;
    facts.push({ kind: "busy", level: "attention", text, mend: "postern doctor", page });
  }
  const large = inState(going, "too_large");
  if (large > 0) {
    const text = `${deliveriesFrom(large, provider)} in the last hour ${large === 1 ? "was" : "were"} longer than the database takes.`;
    facts.push({ kind: "too_large", level: "attention", text, mend: "postern doctor", page });
  }
  return facts;
};

/** One line of counts for a sender. */
const countsOf = (provider: string, own: readonly DeliverySum[]): HealthFact => {
  const results = ["accepted", "duplicate", "ignored", "quarantined", "refused", "busy", "too_large"] as const;
  const counts = results.flatMap((result) => {
    const count = inState(own, result);
    return count === 0 ? [] : [`${inDigits(count)} ${result.replace("_", " ")}`];
  });
  return {
    kind: "deliveries",
    level: "ok",
    text: `${provider} in the last hour: ${counts.join(", ")}.`,
    page: pageOf(provider),
  };
};

/** What the deliveries of the last hour tell, sender by sender. */
export const deliveryFacts = (snapshot: HealthSnapshot): readonly HealthFact[] => {
  const { deliveries } = snapshot;
  const bySender = new Map<string, DeliverySum[]>();
  for (const sum of deliveries) bySender.set(sum.provider, [...(bySender.get(sum.provider) ?? []), sum]);
  const senders = [...bySender].toSorted(([, left], [, right]) => total(right) - total(left));
  return [
    ...senders.flatMap(([provider, own]) => factsOf(provider, own, snapshot)),
    ...senders.slice(0, mostShown).map(([provider, own]) => countsOf(provider, own)),
  ];
};
