import type { RowOf } from "../address.ts";
import { href } from "../router.ts";
import { Empty, Tag, Time } from "../ui/basics.tsx";
import { Table } from "../ui/table.tsx";

type Event = RowOf<"/admin/events">;

interface NewestEventsProps {
  readonly rows: readonly Event[] | undefined;
  readonly isOfOneSender?: boolean;
  readonly empty: string;
}

/** The last few events, each leading to its page. */
export const NewestEvents = ({ rows, isOfOneSender = false, empty }: NewestEventsProps) => (
  <Table
    caption="Newest events"
    noun="event"
    rows={rows}
    keyOf={({ id }) => id}
    hrefOf={({ id }) => href(`/events/${id}`)}
    empty={<Empty title={empty} />}
    columns={[
      { head: "Event", cell: ({ id }) => id, isNumber: true },
      ...(isOfOneSender ? [] : [{ head: "Sender", cell: ({ provider }: Event) => provider, isMinor: true }]),
      { head: "Type", cell: ({ type }) => type ?? "–", isLong: true },
      { head: "State", cell: ({ state }) => <Tag state={state} /> },
      { head: "Received", cell: ({ received_at: at }) => <Time at={at} />, isNumber: true },
    ]}
  />
);
