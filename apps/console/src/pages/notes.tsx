import { useState } from "preact/hooks";
import { type Answer, api } from "../address.ts";
import { call } from "../api.ts";
import { count, visible } from "../format.ts";
import { may, me } from "../session.ts";
import { Button, Field, notify, Time } from "../ui/basics.tsx";

const mostNotes = 50;

/** What people have noted about an event, and a form for another note. */
export const Notes = ({
  event,
  refresh,
}: {
  readonly event: Answer<"/admin/events/{id}">;
  readonly refresh: () => void;
}) => {
  const [text, setText] = useState("");
  const { notes } = event;
  const mayAdd = may("events:replay") && notes.length < mostNotes;
  if (notes.length === 0 && !mayAdd) return null;
  return (
    <section>
      <h2>
        Notes <span class="soft">{count(notes.length)}</span>
      </h2>
      <ul class="plain notes">
        {notes.map(({ id, at, author, text: noted }) => (
          <li key={id}>
            <p>{visible(noted)}</p>
            <p class="soft">
              {author === me.value?.id ? "you" : visible(author)}, <Time at={at} />
            </p>
          </li>
        ))}
      </ul>
      {mayAdd ? (
        <form
          onSubmit={(submitted) => {
            submitted.preventDefault();
            void call("POST", api("/admin/events/{id}/notes", { id: event.id }), { text }).then(
              () => {
                setText("");
                refresh();
              },
              (thrown: Error) => notify(thrown.message, "bad"),
            );
          }}
        >
          <Field
            label="A note for others"
            hidesLabel
            lines={2}
            placeholder="A note for others"
            value={text}
            onInput={setText}
            required
            maxLength={2_000}
          />
          <Button type="submit">Add the note</Button>
        </form>
      ) : null}
    </section>
  );
};
