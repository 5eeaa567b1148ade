import { api, type RowOf } from "../address.ts";
import { useLive } from "../api.ts";
import { route, setQuery } from "../router.ts";
import { Empty, Fault, Field, PageHead, Tag } from "../ui/basics.tsx";
import { Table } from "../ui/table.tsx";

type Setting = RowOf<"/admin/settings">;

const origins: Readonly<Record<Setting["origin"], string>> = {
  option: "command line",
  environment: "environment",
  file: "configuration file",
  default: "default",
};

const textOf = (value: unknown): string => {
  if (value === null) return "";
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};

const originOf = ({ origin, name, variable }: Setting): string =>
  variable === null || variable === name ? origins[origin] : `${origins[origin]} (${variable})`;

const Value = ({ one }: { readonly one: Setting }) => {
  const text = textOf(one.value);
  if (one.secret) return <Tag state={text === "set" ? "good" : "plain"}>{text}</Tag>;
  return text === "" ? <span class="soft">–</span> : <span class="code-like">{text}</span>;
};

export const SettingsPage = () => {
  const { query } = route.value;
  const { data, fault } = useLive(api("/admin/settings"));
  const words = (query.get("text") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const origin = query.get("origin") ?? "";
  const all = data?.data ?? [];
  const found = all.filter((one) => {
    const text = `${one.name} ${textOf(one.value)} ${origins[one.origin]}`.toLowerCase();
    const fits = origin === "" || (origin === "set" ? one.origin !== "default" : one.origin === origin);
    return fits && words.every((word) => text.includes(word));
  });
  const head = (
    <>
      <PageHead
        title="Settings"
        lead="What this server runs with, and what sets it. Secrets only say whether they are set."
      />
      <Fault fault={fault} />
    </>
  );
  if (data?.data.length === 0)
    return (
      <>
        {head}
        <Empty title="Your application sets everything in its own code.">
          <p>A server that starts from variables and a configuration file shows each setting here, and what sets it.</p>
        </Empty>
      </>
    );
  return (
    <>
      {head}
      <search class="filters">
        <Field
          label="Words"
          hidesLabel
          type="search"
          placeholder="Name or value"
          value={query.get("text") ?? ""}
          onInput={(text) => setQuery({ text })}
          maxLength={100}
        />
        <Field
          label="Set by"
          hidesLabel
          value={origin}
          choices={[
            ["", "All"],
            ["set", "Set by you"],
            ["environment", "By the environment"],
            ["file", "By the configuration file"],
            ["default", "By default"],
          ]}
          onInput={(value) => setQuery({ origin: value })}
        />
      </search>
      <Table
        caption="Settings"
        noun="setting"
        rows={data === undefined ? undefined : found}
        total={{ count: all.length }}
        keyOf={({ name }) => name}
        empty={<Empty title="No setting fits these filters." />}
        columns={[
          {
            head: "Setting",
            cell: (one) => (
              <>
                <code>{one.name}</code>
                {one.origin === "default" ? null : <span class="soft only-narrow">{originOf(one)}</span>}
              </>
            ),
          },
          { head: "Value", cell: (one) => <Value one={one} />, isLong: true },
          {
            head: "Set by",
            cell: (one) => <span class={one.origin === "default" ? "soft" : ""}>{originOf(one)}</span>,
            isMinor: true,
          },
        ]}
      />
    </>
  );
};
