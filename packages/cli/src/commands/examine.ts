import { readPublishedKeys } from "@postern/app";
import { auditCheckOf, findingsOf } from "@postern/app/internal";
import { AppError } from "@postern/core";
import type { ProviderDefinition } from "@postern/inbox";
import { storedDefinition } from "@postern/inbox/internal";
import { kindsWithoutHandler } from "@postern/jobs/internal";
import { ConfigError } from "@postern/server";
import { alertJobName, hasAdmin, mailSentences, operator } from "@postern/server/internal";
import { createVerifier } from "@postern/webhook-verifier";
import type { AnswerOf } from "../operations.ts";
import type { ItemOf } from "../print-list.ts";
import { causeOf, configOf, type Session, withUncheckedSession } from "../session.ts";
import { counted, type Terminal } from "../terminal.ts";
import { examineDatabase } from "./examine-database.ts";
import { examineFiles } from "./examine-files.ts";
import { type Finding, finding } from "./finding.ts";

const maxWaitingJobs = 10_000;

/** All senders, as the API lists them. */
const listedProviders = async ({ app }: Session["composition"]): Promise<readonly ItemOf<"admin.providers.list">[]> => {
  const { body } = await app.run({ operation: "admin.providers.list", principal: operator });
  // A test compares the operation with the contract that this type is made from.
  return (body as AnswerOf<"admin.providers.list">).data;
};

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** What is wrong with the configuration, the database, the senders and the jobs. */
export const examine = async (terminal: Terminal): Promise<readonly Finding[]> => {
  try {
    const config = await configOf(terminal);
    const configuration = {
      check: "configuration",
      ok: true,
      text: "the environment and the configuration file are valid",
    };
    return [
      configuration,
      // The key file is made when the database is opened for the first time.
      ...(await withUncheckedSession(terminal, examineSession)),
      ...(await examineFiles(terminal, config)),
    ];
  } catch (thrown) {
    const faults = thrown instanceof ConfigError ? thrown.faults : [messageOf(thrown)];
    return faults.map((text) => ({ check: "configuration", ok: false, text }));
  }
};

const shortSecretText = "a secret has less than 16 bytes and can be guessed from one message; replace it at the sender";

/** Whether a provider works only because short secrets are allowed. */
const hasShortSecret = ({ scheme, keys, settings, allowShort }: ProviderDefinition): boolean => {
  if (allowShort !== true || keys.length === 0) return false;
  try {
    createVerifier(scheme, { keys, settings });
    return false;
  } catch {
    return true;
  }
};

/**
 * Without a public URL there is no OAuth 2. With a public URL over plain HTTP, others can read
 * secrets on the way.
 */
const examinePublicUrl = ({ publicUrl }: Session["config"]): Finding => {
  const isPlain = publicUrl?.startsWith("http://") === true && !/^http:\/\/(127\.0\.0\.1|localhost)\b/.test(publicUrl);
  return finding(
    "public URL",
    !isPlain,
    publicUrl ?? "none, so there is no OAuth 2; POSTERN_PUBLIC_URL sets it",
    `${publicUrl} is not https: tokens and passwords can be read on the way`,
  );
};

const examineSession = async (session: Session): Promise<readonly Finding[]> => {
  const { composition } = session;
  const providers = composition.providers.map((definition): Finding => {
    const { name, scheme, keys } = definition;
    return hasShortSecret(definition)
      ? { check: `provider ${name}`, ok: false, warning: true, text: shortSecretText }
      : {
          check: `provider ${name}`,
          ok: true,
          text: `${scheme.title}, ${counted(keys.length, "key")}`,
        };
  });
  try {
    const { pending } = await composition.database.migrate.status();
    if (pending.length > 0) {
      const text = `${counted(pending.length, "migration")} missing; run postern migrate`;
      return [...providers, { check: "database", ok: false, text, fix: "migrate" }];
    }
    await composition.storage.check();
    return [
      ...providers,
      { check: "database", ok: true, text: "answers, tables are up to date" },
      ...(composition.parts.includes("users") ? [examinePublicUrl(session.config)] : []),
      ...(await examineData(composition)),
      ...(await examineDatabase(session)),
      ...(await examineAlerts(session)),
      ...(await examineOutsideIssuer(session)),
    ];
  } catch (thrown) {
    const isAway = thrown instanceof AppError && thrown.code === "unavailable";
    const text = isAway ? `${thrown.message} ${causeOf(thrown)}` : messageOf(thrown);
    return [...providers, { check: "database", ok: false, text }];
  }
};

const minuteMs = 60_000;
const oldestWaitingMs = 5 * minuteMs;
const longestRunMs = 60 * minuteMs;

const examineData = async (composition: Session["composition"]): Promise<readonly Finding[]> => [
  ...(await examineJobs(composition)),
  ...(composition.parts.includes("inbox") ? await examineEvents(composition) : []),
  ...(await examineRetention(composition)),
  await examineAuditLog(composition),
  ...(composition.parts.includes("inbox") ? await examineStoredProviders(composition) : []),
  ...(composition.parts.includes("inbox") ? await examineHandlers(composition) : []),
  ...(await examineParts(composition)),
  ...examineMail(composition),
  ...examineSchedules(composition),
];

const plannedMs = 400 * 24 * 60 * minuteMs;

/** Schedules with a time of the day that the clocks skip soon. It runs right after the gap. */
const examineSchedules = ({ schedules, ports }: Session["composition"]): readonly Finding[] =>
  schedules.flatMap((one) => {
    const now = ports.clock.now();
    const [moved] = ports.cronPlan.moved(one, now, now + plannedMs);
    if (moved === undefined) return [];
    const text =
      `the clocks of ${one.timeZone} skip its time before ${new Date(moved).toISOString()}: ` +
      `the run comes at that moment; choose another time if that is not meant`;
    return [finding(`schedule ${one.name}`, false, "", text)];
  });

/** Whether mails about accounts leave. A server without mail is complete, so this is no warning. */
const examineMail = ({ parts, ports }: Session["composition"]): readonly Finding[] =>
  parts.includes("users") ? [{ check: "account mail", ok: true, text: mailSentences[ports.mailer.target] }] : [];

/** Tables of parts that were turned off. Nothing reads them, and nothing deletes them. */
const examineParts = async ({ database }: Session["composition"]): Promise<readonly Finding[]> => {
  const left = (await database.migrate.parts())
    .filter(({ inUse }) => !inUse)
    .flatMap(({ part, tables }) => tables.map(({ table, rows }) => `${table} (part ${part}, ${rows} rows)`));
  if (left.length === 0) return [];
  return [
    finding("parts left out", false, "", `tables are left: ${left.join(", ")}; drop them if you do not need them`),
  ];
};

const examineJobs = async ({
  storage,
  parts,
  handlers,
  schedules,
}: Session["composition"]): Promise<readonly Finding[]> => {
  const [{ ready, dead, blocked, scheduled }, queues, runners, kinds, running, ended, admin] = await Promise.all([
    storage.jobRecords.countByState(),
    storage.queues.list(),
    storage.runners.live(),
    storage.queues.readyKinds(),
    storage.jobRecords.list({ state: "running", limit: 1000 }),
    storage.jobRecords.list({ state: "dead", limit: 1000 }),
    parts.includes("users") ? hasAdmin(storage) : true,
  ]);
  const now = Date.now();
  const ages = queues.filter(({ paused }) => !paused).map(({ oldestReadyAt }) => now - (oldestReadyAt ?? now));
  const oldest = Math.max(0, ...ages);
  // Of the application's own jobs, only a worker knows how long they may take.
  const timeouts = new Map([...handlers, ...schedules].map(({ name, timeoutMs }) => [name, timeoutMs]));
  const stuck = running.filter(
    ({ kind, startedAt }) => now - (startedAt ?? now) > (timeouts.get(kind) ?? longestRunMs) + minuteMs,
  ).length;
  const holding = ended.filter(({ holdsTurn }) => holdsTurn).map(({ id }) => id);
  const paused = queues.filter((queue) => queue.paused).map(({ name }) => name);
  const unhandled = runners.length === 0 ? [] : kindsWithoutHandler(kinds, runners);
  return [
    finding(
      "administrator",
      admin,
      "there is one",
      "there is none; make one with postern users create --name <name> --email <address> --role admin, " +
        "or make a user one with postern users promote <email-or-id>",
    ),
    finding("waiting jobs", ready <= maxWaitingJobs, String(ready), `${ready}; is a worker running?`),
    finding(
      "oldest waiting job",
      oldest <= oldestWaitingMs,
      `${Math.round(oldest / 1000)} s`,
      `${Math.round(oldest / minuteMs)} minutes; start more workers, or look at postern jobs list --state running`,
    ),
    finding(
      "runners",
      runners.length > 0 || ready + blocked + scheduled + running.length === 0,
      `${runners.length}`,
      "none lives and jobs wait; start one with postern worker",
    ),
    finding(
      "jobs without a handler",
      unhandled.length === 0,
      "none",
      `${unhandled.map((one) => `${one.kind} (${one.ready})`).join(", ")}; no running process has a handler of that name: start one that does, or cancel the jobs`,
    ),
    finding(
      "stuck jobs",
      stuck === 0,
      "none",
      `${stuck} began longer ago than they may take; see postern jobs list --state running, and restart the workers`,
    ),
    finding("paused queues", paused.length === 0, "none", `${paused.join(", ")}; go on with postern queues resume`),
    finding(
      "dead jobs",
      dead === 0,
      "none",
      `${dead}; see postern events list --state dead and, for jobs about no event, postern jobs list --state dead`,
    ),
    finding(
      "held order keys",
      holding.length === 0,
      "none",
      `${holding.length}; postern jobs retry or cancel ${holding.slice(0, 5).join(", ")}`,
    ),
  ];
};

/** Where alerts go, and which alerts did not arrive. */
const examineAlerts = async ({ composition: { storage }, config }: Session): Promise<readonly Finding[]> => {
  if (config.alertUrl === undefined) {
    return [finding("alerts", true, "they go to the log; POSTERN_ALERT_URL is not set", "")];
  }
  const jobs = await storage.jobRecords.list({ kind: alertJobName, limit: 1000 });
  const undelivered = jobs.filter(({ state }) => state !== "done" && state !== "cancelled");
  const [newest] = undelivered;
  return [
    finding(
      "alerts",
      undelivered.length === 0,
      "all that were kept have been delivered to POSTERN_ALERT_URL",
      `${counted(undelivered.length, "alert")} did not arrive at POSTERN_ALERT_URL (${newest?.lastError ?? "not tried again yet"}); see postern jobs list --handler ${alertJobName}`,
    ),
  ];
};

/** Whether the keys of the outside issuer can be read from here. */
const examineOutsideIssuer = async ({ composition }: Session): Promise<readonly Finding[]> => {
  if (composition.outsideIssuer === undefined) return [];
  const { issuer, nameOf = (member) => `outsideIssuer.${member}` } = composition.outsideIssuer;
  try {
    const keys = await readPublishedKeys(composition.ports, composition.outsideIssuer);
    const told = `${issuer} publishes ${counted(keys.length, "key")}`;
    return [finding("outside issuer", keys.length > 0, told, `${told} that can be used: its tokens are refused`)];
  } catch (thrown) {
    const why = `${messageOf(thrown)} Check ${nameOf("issuer")} (or ${nameOf("internalUrl")}), and that this machine reaches it.`;
    return [finding("outside issuer", false, "", why)];
  }
};

const examineEvents = async ({ storage }: Session["composition"]): Promise<readonly Finding[]> => {
  const quarantined = await storage.events.list({ state: "quarantined", limit: 1000 });
  const count = quarantined.length === 1000 ? "1000 or more" : String(quarantined.length);
  const [newest] = await storage.events.list({ limit: 1 });
  const ahead = (newest?.receivedAt ?? 0) - Date.now();
  return [
    finding(
      "quarantined events",
      quarantined.length === 0,
      "none",
      `${count}; see why with postern events list --state quarantined`,
    ),
    finding(
      "clock",
      ahead <= minuteMs,
      "no event lies in the future",
      `the newest event was received ${Math.round(ahead / 1000)} s from now: a clock was wrong, or is`,
    ),
  ];
};

/** The findings of the check in the background. `postern audit verify` reads the whole log. */
const examineAuditLog = async ({ storage }: Session["composition"]): Promise<Finding> => {
  const check = await auditCheckOf(storage);
  const findings = findingsOf(check);
  const { finished } = check;
  const text = finished === undefined ? "was not compared yet" : `held at ${new Date(finished.at).toISOString()}`;
  return findings === 0
    ? { check: "audit log", ok: true, text }
    : {
        check: "audit log",
        ok: false,
        text: `entries are missing or were changed (${counted(findings, "finding")}); run postern audit verify`,
      };
};

const hourMs = 60 * minuteMs;
const longestWithoutPruneMs = 3 * hourMs;

/** How long things are kept, and whether deleting works. */
const examineRetention = async ({ retention, storage }: Session["composition"]): Promise<readonly Finding[]> => {
  const { bodies, events, done_jobs: done, audit } = retention;
  const pruned = await storage.scheduleSlots.last("postern.prune");
  const hours = pruned === undefined ? 0 : Math.floor((Date.now() - pruned) / hourMs);
  return [
    finding(
      "retention",
      bodies <= events,
      `days: bodies ${bodies}, events ${events}, done jobs ${done}, audit log ${audit}`,
      `bodies are to be kept for ${bodies} days, but go with their events after ${events}`,
    ),
    finding(
      "housekeeping",
      hours * hourMs <= longestWithoutPruneMs,
      pruned === undefined ? "has not been due yet" : `last due ${new Date(pruned).toISOString()}`,
      `nothing has been deleted for ${hours} hours; is a worker running?`,
    ),
  ];
};

/** Whether each sender that was added at run time has a valid key that can be opened. */
const examineStoredProviders = async (composition: Session["composition"]): Promise<readonly Finding[]> => {
  const { ports, providers } = composition;
  const data = await listedProviders(composition);
  const configured = new Set(providers.map(({ name }) => name));
  const findings: Finding[] = [];
  for (const { name, keys, jwks_url: keySet } of data.filter((one) => !configured.has(one.name))) {
    const good = keys.filter(({ state }) => state === "good").length;
    const definition = await storedDefinition(ports, name).catch(() => undefined);
    const opens = definition !== undefined;
    if (opens && hasShortSecret(definition)) {
      findings.push({ check: `provider ${name}`, ok: false, warning: true, text: shortSecretText });
      continue;
    }
    const text = opens
      ? `no key is good now; give it one with postern providers rotate ${name}`
      : "its keys cannot be opened: they were stored under another POSTERN_SECRET_KEY";
    const said = keySet === null ? `${good} ${good === 1 ? "key is" : "keys are"} good now` : `keys from ${keySet}`;
    findings.push(finding(`provider ${name}`, opens && (good > 0 || keySet !== null), said, text));
  }
  return findings;
};

/** Handlers and routes whose sender is neither configured nor stored: no event can come to them. */
const examineHandlers = async (composition: Session["composition"]): Promise<readonly Finding[]> => {
  const { handlers, providers } = composition;
  const known = new Set([...providers, ...(await listedProviders(composition))].map(({ name }) => name));
  return handlers
    .filter(({ provider }) => provider !== "*" && !known.has(provider))
    .map(({ name, provider }) =>
      finding(
        `handler ${name}`,
        false,
        "",
        `no sender "${provider}" is configured; add it with postern providers add ${provider}`,
      ),
    );
};
