import { ConfigError, hasAdmin } from "@postern/server";
import type { Command } from "commander";
import { configOf, type Session, withSession } from "../session.ts";
import { CommandError, exitCodes, type Terminal } from "../terminal.ts";

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly text: string;
  /** A warning does not fail the command. */
  readonly warning?: boolean;
}

const shortSecretBytes = 24;
const maxWaitingJobs = 10_000;

/** `postern doctor` */
export const addDoctorCommand = (program: Command, terminal: Terminal): void => {
  program
    .command("doctor")
    .description("check configuration, database, providers and jobs, and say what to do")
    .option("--json", "print { items } as JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const findings = await examine(terminal);
      terminal.stdout.write(
        json === true
          ? `${JSON.stringify({ items: findings })}\n`
          : findings
              .map(
                ({ check, ok, warning, text }) =>
                  `${ok ? "ok  " : warning === true ? "warn" : "FAIL"}  ${check}: ${text}\n`,
              )
              .join(""),
      );
      const problems = findings.filter(({ ok, warning }) => !ok && warning !== true).length;
      if (problems > 0)
        throw new CommandError(exitCodes.problems, `${problems} ${problems === 1 ? "problem" : "problems"} found.`);
    });
};

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

const examine = async (terminal: Terminal): Promise<readonly Finding[]> => {
  try {
    configOf(terminal);
    const configuration = {
      check: "configuration",
      ok: true,
      text: "the environment and the configuration file are valid",
    };
    return [configuration, ...(await withSession(terminal, examineSession, { checkSchema: false }))];
  } catch (thrown) {
    const faults = thrown instanceof ConfigError ? thrown.faults : [messageOf(thrown)];
    return faults.map((text) => ({ check: "configuration", ok: false, text }));
  }
};

const examineSession = async ({ composition }: Session): Promise<readonly Finding[]> => {
  const providers = composition.providers.map(({ name, scheme, keys }): Finding => {
    const weak = scheme.key.secret === true && keys.some((key) => Buffer.byteLength(key) < shortSecretBytes);
    return weak
      ? {
          check: `provider ${name}`,
          ok: false,
          warning: true,
          text: `a secret is shorter than ${shortSecretBytes} bytes; use the sender's own`,
        }
      : {
          check: `provider ${name}`,
          ok: true,
          text: `${scheme.facts.title}, ${keys.length} ${keys.length === 1 ? "key" : "keys"}`,
        };
  });
  try {
    const { pending } = await composition.database.migrate.status();
    if (pending.length > 0) {
      const text = `${pending.length} migrations are missing; run postern migrate`;
      return [...providers, { check: "database", ok: false, text }];
    }
    await composition.storage.check();
    return [
      ...providers,
      { check: "database", ok: true, text: "answers, tables are up to date" },
      ...(await examineData(composition)),
    ];
  } catch (thrown) {
    return [...providers, { check: "database", ok: false, text: `${messageOf(thrown)} Check DATABASE_URL.` }];
  }
};

const examineData = async ({ storage }: Session["composition"]): Promise<readonly Finding[]> => {
  const { ready, dead } = await storage.jobs.countByState();
  const admin = await hasAdmin(storage);
  return [
    {
      check: "administrator",
      ok: admin,
      warning: true,
      text: admin ? "there is one" : "there is none; make one with postern users create --role admin",
    },
    {
      check: "waiting jobs",
      ok: ready <= maxWaitingJobs,
      warning: true,
      text: ready <= maxWaitingJobs ? String(ready) : `${ready}; is a worker running?`,
    },
    {
      check: "dead jobs",
      ok: dead === 0,
      warning: true,
      text: dead === 0 ? "none" : `${dead}; see postern events list --state dead`,
    },
  ];
};
