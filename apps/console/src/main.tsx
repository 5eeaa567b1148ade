import "./style/base.css";
import "./style/parts.css";
import "./style/pages.css";
import "./style/chart.css";
import "./visible-texts.ts";
import { type ComponentChildren, render } from "preact";
import { useEffect, useErrorBoundary, useRef } from "preact/hooks";
import { forgetAnswers } from "./api.ts";
import { clockOf } from "./format.ts";
import { Account } from "./pages/account.tsx";
import { CausePage, Causes } from "./pages/causes.tsx";
import { Components } from "./pages/components.tsx";
import { ClientsPage, KeysPage, SessionsPage } from "./pages/credentials.tsx";
import { EventPage } from "./pages/event.tsx";
import { Events } from "./pages/events.tsx";
import { JobPage, Jobs } from "./pages/jobs.tsx";
import { Now } from "./pages/now.tsx";
import { UserPage, Users } from "./pages/people.tsx";
import { PlanPage, Plans } from "./pages/plans.tsx";
import { Queues } from "./pages/queues.tsx";
import { ApiDocs, Audit, Versions } from "./pages/records.tsx";
import { ResourceAt, Resources } from "./pages/resources.tsx";
import { Schedules } from "./pages/schedules.tsx";
import { Search, SearchField } from "./pages/search.tsx";
import { SenderPage, Senders } from "./pages/senders.tsx";
import { SessionEnded } from "./pages/session-ended.tsx";
import { SettingsPage } from "./pages/settings.tsx";
import { Setup, SignIn } from "./pages/sign-in.tsx";
import { awaySince } from "./problem.ts";
import { href, route } from "./router.ts";
import { environment, hasEnded, may, me, type Scope, signOut, start, startFault } from "./session.ts";
import { Button, Empty, Fault, PageHead, Toasts } from "./ui/basics.tsx";
import { useScrolledPlace } from "./ui/place.ts";

interface Place {
  readonly name: string;
  readonly title: string;
  /** What a person needs for it. None: everybody has rows of their own there. */
  readonly needs?: Scope;
  readonly list: () => ComponentChildren;
  /** The page of one of them. */
  readonly one?: (id: string) => ComponentChildren;
  /** The page of any path below its name. */
  readonly below?: (parts: readonly string[]) => ComponentChildren;
}

/** Every page, in the order and the groups of the menu. */
const menu: readonly (readonly Place[])[] = [
  [
    { name: "", title: "Now", needs: "health:read", list: () => <Now /> },
    {
      name: "events",
      title: "Events",
      needs: "events:read",
      list: () => <Events />,
      one: (id) => <EventPage key={id} id={id} />,
    },
    {
      name: "causes",
      title: "Causes",
      needs: "causes:read",
      list: () => <Causes />,
      one: (id) => <CausePage key={id} id={id} />,
    },
    {
      name: "plans",
      title: "Plans",
      needs: "plans:read",
      list: () => <Plans />,
      one: (id) => <PlanPage key={id} id={id} />,
    },
  ],
  [
    {
      name: "senders",
      title: "Senders",
      needs: "providers:read",
      list: () => <Senders />,
      one: (id) => <SenderPage key={id} name={id} />,
    },
    {
      name: "jobs",
      title: "Jobs",
      needs: "jobs:read",
      list: () => <Jobs />,
      one: (id) => <JobPage key={id} id={id} />,
    },
    { name: "queues", title: "Queues", needs: "queues:read", list: () => <Queues /> },
    { name: "schedules", title: "Schedules", needs: "schedules:read", list: () => <Schedules /> },
  ],
  [
    {
      name: "users",
      title: "Users",
      needs: "users:read",
      list: () => <Users />,
      one: (id) => <UserPage key={id} id={id} />,
    },
    { name: "sessions", title: "Sessions", list: () => <SessionsPage /> },
    { name: "api-keys", title: "API keys", list: () => <KeysPage /> },
    { name: "clients", title: "Clients", needs: "clients:read", list: () => <ClientsPage /> },
  ],
  [
    {
      name: "resources",
      title: "Resources",
      list: () => <Resources />,
      below: (parts) => <ResourceAt parts={parts} />,
    },
    { name: "audit", title: "Audit", needs: "audit:read", list: () => <Audit /> },
    { name: "versions", title: "Versions", needs: "deprecations:read", list: () => <Versions /> },
    { name: "settings", title: "Settings", needs: "settings:read", list: () => <SettingsPage /> },
    { name: "api", title: "API", list: () => <ApiDocs /> },
  ],
];

/** The part of the menu that a person may open. */
const openTo = (): readonly (readonly Place[])[] =>
  menu
    .map((group) => group.filter(({ needs }) => needs === undefined || may(needs)))
    .filter((group) => group.length > 0);

/** Pages that the menu does not list. */
const others: readonly Place[] = [
  { name: "search", title: "Search", list: () => <Search /> },
  { name: "account", title: "Account", list: () => <Account /> },
  { name: "components", title: "Components", list: () => <Components /> },
];

const Nowhere = () => (
  <>
    <PageHead title="Nothing here" />
    <Empty title="This page does not exist.">
      <p>
        <a href={href("/")}>Go to the beginning</a>
      </p>
    </Empty>
  </>
);

/** No page has such a name, and a browser takes it for another path. */
const isNoName = (part: string): boolean => part === "." || part === "..";

const Page = () => {
  const { parts } = route.value;
  const [name = "", id, ...rest] = parts;
  useScrolledPlace();
  if (parts.some(isNoName)) return <Nowhere />;
  // Who is no operator begins with what is their own.
  if (name === "" && !may("health:read")) return <Account />;
  const place = [...menu.flat(), ...others].find((one) => one.name === name);
  if (place === undefined) return <Nowhere />;
  if (id === undefined) return <>{place.list()}</>;
  if (place.below !== undefined) return <>{place.below([id, ...rest])}</>;
  if (rest.length > 0) return <Nowhere />;
  return <>{place.one?.(id) ?? <Nowhere />}</>;
};

/** A page; what goes wrong in it leaves the menu in place. */
const Content = () => {
  const [fault] = useErrorBoundary();
  if (fault === undefined) return <Page />;
  return (
    <>
      <PageHead title="This page cannot be shown" />
      <Empty title="Something in it is not as the console expects.">
        <p>{fault instanceof Error ? fault.message : String(fault)}</p>
        <p>
          <a href={href("/")}>Go to the beginning</a>
        </p>
      </Empty>
    </>
  );
};

const Menu = () => {
  const [name = ""] = route.value.parts;
  const element = useRef<HTMLDetailsElement>(null);
  const { path } = route.value;
  useEffect(() => {
    element.current?.removeAttribute("open");
  }, [path]);
  return (
    <header class="side">
      <p class="brand">
        <a href={href("/")}>Postern</a>{" "}
        <span class="environment" title={environment.value}>
          {environment.value}
        </span>
      </p>
      <SearchField />
      <details class="menu" ref={element}>
        <summary>Menu</summary>
        <nav aria-label="Pages">
          {openTo().map((group) => (
            <ul key={group[0]?.name}>
              {group.map((place) => (
                <li key={place.name}>
                  <a href={href(`/${place.name}`)} aria-current={place.name === name ? "page" : undefined}>
                    {place.title}
                  </a>
                </li>
              ))}
            </ul>
          ))}
        </nav>
        <div class="who">
          <a href={href("/account")} aria-current={name === "account" ? "page" : undefined}>
            {me.value?.name ?? ""}
            <span class="soft">{me.value?.role ?? ""}</span>
          </a>
          <Button
            kind="quiet"
            onPress={async () => {
              await signOut();
              forgetAnswers();
            }}
          >
            Sign out
          </Button>
        </div>
      </details>
    </header>
  );
};

/** Nothing is known while the server cannot say who is signed in. */
const Unknown = ({ fault }: { readonly fault: Error }) => (
  <main id="content" class="card" tabIndex={-1}>
    <p class="brand">Postern</p>
    <h1>The console cannot start</h1>
    <Fault fault={fault} />
    <Button kind="main" onPress={start}>
      Try again
    </Button>
  </main>
);
/** What the answers of one person were must not show for the next. */
const useOneReader = (id: string | undefined): void => {
  const before = useRef(id);
  if (before.current !== id) {
    before.current = id;
    forgetAnswers();
  }
};

const Console = () => {
  const [name, secret] = route.value.parts;
  useOneReader(me.value?.id);
  if (name === "setup" && secret !== undefined && !me.value) return <Setup secret={secret} />;
  if (me.value === undefined) return startFault.value === undefined ? null : <Unknown fault={startFault.value} />;
  if (me.value === null) return <SignIn />;
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById("content")?.focus()}>
        Skip to the content
      </button>
      <Menu />
      <main id="content" tabIndex={-1} class={awaySince.value === undefined ? "" : "old"}>
        {awaySince.value === undefined ? null : (
          <p class="notice bad away" role="status">
            The server does not answer. What you see is from {clockOf(awaySince.value)}.
          </p>
        )}
        <Content key={`${me.value.id} ${route.value.entry}`} />
      </main>
      {hasEnded.value ? <SessionEnded /> : null}
    </>
  );
};

const root = document.getElementById("console");
if (root !== null) {
  render(
    <>
      <Console />
      <Toasts />
    </>,
    root,
  );
}
void start();
