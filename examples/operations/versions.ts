import {
  builtInVersions,
  type Call,
  defineOperation,
  removeEndpoint,
  renameEndpoint,
  signedIn,
  z,
} from "@postern/server";

const output = z.object({ count: z.int() });
const handle = async ({ rows }: Call) => ({ count: (await rows.invoices?.list())?.length ?? 0 });

/** It stands at another path now. */
export const countInvoices = defineOperation({
  id: "invoices.count",
  method: "GET",
  path: "/statistics/invoices",
  summary: "Count invoices",
  access: signedIn,
  output,
  handle,
});

/** Only v1 has it. */
const countOld = defineOperation({
  id: "count",
  method: "GET",
  path: "/count",
  summary: "Count everything",
  access: signedIn,
  output,
  handle,
});

/** The built-in versions with one more, in which both have changed. */
export const versions = [
  ...builtInVersions,
  {
    id: "v3",
    released: "2027-01-31",
    changes: [
      {
        id: "statistics-have-a-place",
        kind: "changed",
        title: "Statistics are below /statistics",
        why: "There will be more of them.",
        migration: "Call /statistics/invoices in place of /invoice-count, and of /count.",
        effects: [renameEndpoint({ from: "/invoice-count", to: "/statistics/invoices" }), removeEndpoint(countOld)],
      },
    ],
  },
] as const;
