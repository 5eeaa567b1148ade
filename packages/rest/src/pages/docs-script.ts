/**
 * The script of our pages. It opens what a link points to, filters the list of operations, and
 * sends requests. It writes text, never markup, so that an answer cannot become part of the page.
 * It keeps the token in this tab only.
 */
export const docsScript = `"use strict";
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const one = (selector, root = document) => root.querySelector(selector);

// The script is below the path at which the server is mounted.
const root = document.currentScript.src.replace(/\\/api\\/assets\\/.*$/, "");
for (const place of all("[data-origin]")) place.textContent = root;

const openTarget = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target === null) return;
  if (target.tagName === "DETAILS") target.open = true;
  target.scrollIntoView();
};
addEventListener("hashchange", openTarget);
if (location.hash !== "") openTarget();

// Beside the page the menu is always open; above the page, on a phone, only until you choose.
const menu = one("#menu");
const isBeside = matchMedia("(min-width: 56.01rem)");
if (menu !== null) {
  const follow = () => (menu.open = isBeside.matches);
  isBeside.addEventListener("change", follow);
  follow();
  menu.addEventListener("click", (event) => {
    if (!isBeside.matches && event.target.closest("a") !== null) menu.open = false;
  });
}

const search = one("#search");
if (search !== null) {
  search.closest("[hidden]")?.removeAttribute("hidden");
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
    for (const item of all("aside li")) {
      const text = (item.textContent + " " + item.dataset.path).toLowerCase();
      item.hidden = !words.every((word) => text.includes(word));
    }
    for (const group of all("aside section")) group.hidden = all("li", group).every((item) => item.hidden);
  });
  addEventListener("keydown", (event) => {
    const typing = /^(INPUT|TEXTAREA)$/.test(document.activeElement?.tagName ?? "");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    menu.open = true;
    search.focus();
  });
}

const token = one("#token");
if (token !== null) {
  token.closest("[hidden]")?.removeAttribute("hidden");
  token.value = sessionStorage.getItem("postern-token") ?? "";
  token.addEventListener("input", () => sessionStorage.setItem("postern-token", token.value.trim()));
}

const requestOf = (form) => {
  const headers = {};
  let path = form.dataset.path;
  const query = new URLSearchParams();
  for (const input of all("[data-in]", form)) {
    const value = input.value.trim();
    const { in: place, name } = input.dataset;
    if (place === "path") path = path.replace("{" + name + "}", encodeURIComponent(value));
    else if (value !== "" && place === "query") query.append(name, value);
    else if (value !== "" && place === "header") headers[name] = value;
  }
  if (token !== null && token.value.trim() !== "") headers.authorization = "Bearer " + token.value.trim();
  const body = one("textarea[data-type]", form);
  if (body !== null && body.value.trim() !== "") headers["content-type"] = body.dataset.type;
  const search = query.toString();
  return {
    url: form.dataset.base + path + (search === "" ? "" : "?" + search),
    init: { method: form.dataset.method, headers, ...(body === null || body.value.trim() === "" ? {} : { body: body.value }) },
  };
};

const pretty = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

const element = (name, text, className) => {
  const made = document.createElement(name);
  made.textContent = text;
  if (className !== undefined) made.className = className;
  return made;
};

const show = (output, ...parts) => output.replaceChildren(...parts);

const send = async (form) => {
  const output = one("output", form);
  const button = one("button", form);
  const { url, init } = requestOf(form);
  button.disabled = true;
  try {
    const answer = await fetch(url, { ...init, cache: "no-store" });
    const text = await answer.text();
    const headers = [...answer.headers].map(([name, value]) => name + ": " + value).join("\\n");
    show(
      output,
      element("p", answer.status + " " + answer.statusText + "  " + init.method + " " + url, "status"),
      element("pre", headers),
      element("pre", text === "" ? "(no body)" : pretty(text)),
    );
    if (form.dataset.operation === "sessions.create" && answer.status === 201 && token !== null) {
      token.value = JSON.parse(text).access_token;
      token.dispatchEvent(new Event("input"));
    }
  } catch {
    show(output, element("p", "The server could not be reached.", "status"));
  } finally {
    button.disabled = false;
  }
};

for (const form of all("form.try")) {
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void send(form);
  });
}
// The clipboard is missing on pages that came without TLS. Selecting the text works everywhere.
const copy = async (button) => {
  const area = one("pre", button.parentElement);
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(area.textContent);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(area);
    button.textContent = document.execCommand("copy") ? "Copied" : "Selected";
  }
  setTimeout(() => (button.textContent = label), 2000);
};
for (const button of all("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", () => void copy(button));
}
for (const area of all("pre")) if (area.scrollWidth > area.clientWidth) area.tabIndex = 0;
`;
