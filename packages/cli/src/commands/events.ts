import type { Command } from "commander";
import { addCall } from "../actions.ts";
import { exportPages } from "../export-pages.ts";
import type { AnswerOf } from "../operations.ts";
import { addPages } from "../print-list.ts";
import { withOperations } from "../session.ts";
import { lookOf, plain, table, writeStyled } from "../table.ts";
import { escaped, type Terminal } from "../terminal.ts";
import { addDiscardCommand } from "./discard-events.ts";
import { addImportCommand } from "./import-events.ts";
import { type EventFilterOptions, eventColumns, eventFiltersOf, withEventFilters } from "./listed-events.ts";
import { addDiffCommand, addNoteCommand } from "./note-event.ts";
import { addReplayCommand } from "./replay-events.ts";
import { addRunCommand } from "./run-event.ts";
import { addSearchCommand } from "./search-events.ts";
import { addTailCommand } from "./tail-events.ts";
import { addTraceCommand } from "./trace-event.ts";

type Whole = AnswerOf<"admin.events.read">;

const addList = (events: Command, terminal: Terminal): void => {
  const list = withEventFilters(events.command("list").description("list events, newest first"));
  addPages(list, terminal, { operation: "admin.events.list", columns: eventColumns, filters: eventFiltersOf });
};

const addShow = (events: Command, terminal: Terminal): void => {
  const show = events
    .command("show")
    .description("show an event with its body and its jobs")
    .argument("<id>", "the event's id");
  addCall(show, terminal, {
    call: (id: string) => ({ operation: "admin.events.read", params: { id } }),
    tell: (body) => writeStyled(terminal, describe(body, lookOf(terminal) ?? plain)),
    json: "it",
  });
};

const addExport = (events: Command, terminal: Terminal): void => {
  withEventFilters(
    events
      .command("export")
      .description("print all events that match as NDJSON, newest first: one JSON document a line, as show --json"),
  )
    .option("--without-payload", "only what list --json has, which is quicker")
    .action(async ({ withoutPayload, ...narrowed }: EventFilterOptions & { withoutPayload?: boolean }) => {
      const query = eventFiltersOf(narrowed);
      await withOperations(terminal, (operations) =>
        withoutPayload === true
          ? exportPages(terminal, operations, { operation: "admin.events.list", query })
          : exportPages(terminal, operations, { operation: "admin.events.export", query }),
      );
    });
};

/** `postern events …` */
export const addEventCommands = (events: Command, terminal: Terminal): void => {
  const commands = [
    addList,
    addSearchCommand,
    addShow,
    addTraceCommand,
    addDiffCommand,
    addNoteCommand,
    addExport,
    addImportCommand,
    addRunCommand,
    addReplayCommand,
    addDiscardCommand,
    addTailCommand,
  ];
  for (const add of commands) add(events, terminal);
};

const forwardHeadings = ["handler", "attempt", "at", "ms", "answered", "error"];
const forwardRow = ({ handler, attempt, at, ms, status, error }: Whole["forwards"][number]): readonly unknown[] => [
  handler,
  attempt,
  at,
  ms,
  status,
  error,
];

const repeatOf = ({ by, window_seconds: window }: Whole["repeat"]): string =>
  window === null ? by : `${by}, within ${window} s`;

const describe = (
  { jobs, forwards, notes, headers, query, left_out: leftOut, covered, metadata, data, payload, ...facts }: Whole,
  look: typeof plain,
): string => {
  const { body_base64: _bytes, ...found } = facts;
  const shown = { ...found, repeat: repeatOf(facts.repeat) };
  const { rest, ...told } = metadata;
  const isWhole = Object.keys(rest).length === 0;
  const width = Math.max(...Object.keys(shown).map((name) => name.length));
  const lineOf = (name: string, value: unknown, indent = ""): string => escaped(`${indent}${name}${value ?? "-"}\n`);
  const markOf = (place: string): string => (covered.includes(place) ? "" : "  (not signed)");
  const lines = Object.entries(shown).map(([name, value]) => lineOf(`${name.padEnd(width)}  `, value));
  const jobRows = jobs.map((row) => [
    row.id,
    row.handler,
    row.state,
    `${row.attempt}/${row.max_attempts}`,
    row.due_at,
    row.last_error,
  ]);
  return [
    ...lines,
    "\nheaders\n",
    ...Object.entries(headers).map(([name, value]) => lineOf(`${name}: `, `${value}${markOf(`header:${name}`)}`, "  ")),
    ...(query === null ? [] : [lineOf("\nquery: ", `${query}${markOf("url")}`)]),
    ...(leftOut.length === 0 ? [] : [lineOf("\nleft out, too long or too many: ", leftOut.join(", "))]),
    "\njobs\n",
    table(["id", "handler", "state", "attempts", "due", "last error"], jobRows, look),
    ...(forwards.length === 0 ? [] : ["\nforwards\n", table(forwardHeadings, forwards.map(forwardRow), look)]),
    ...(notes.length === 0
      ? []
      : [
          "\nnotes\n",
          table(
            ["at", "author", "note"],
            notes.map(({ at, author, text }) => [at, author, text]),
            look,
          ),
        ]),
    "\nmetadata\n",
    ...Object.entries(told).map(([name, value]) => lineOf(`${name}: `, value, "  ")),
    isWhole ? "\ndata (the whole payload)\n" : "\ndata\n",
    escaped(`${JSON.stringify(data, undefined, 2)}\n`),
    ...(isWhole ? [] : ["\npayload\n", escaped(`${JSON.stringify(payload, undefined, 2)}\n`)]),
  ].join("");
};
