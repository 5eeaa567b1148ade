/**
 * The script of the account page: it sends the token of the link to the operation that the link
 * names.
 */
export const accountScript = `"use strict";
const steps = {
  reset: { path: "/password-resets/", title: "Set a new password", password: "new_password", keys: "revoke_api_keys", done: "The password is set. Sign in with it." },
  invite: { path: "/invitations/", title: "Choose your password", password: "new_password", done: "The password is set. Sign in with it." },
  verify: { path: "/email-verifications/", title: "Confirm your address", done: "Your address is confirmed." },
  "sign-up": { path: "/sign-ups/", title: "Confirm your address", done: "Your account is made. Sign in." },
  address: { path: "/email-changes/", title: "Confirm your new address", done: "Your address is changed. Sign in with it." },
};
const part = (id) => document.getElementById(id);
const [name = "", token = ""] = location.hash.slice(1).split("=");
const step = Object.hasOwn(steps, name) ? steps[name] : undefined;
// The token must not stay in the history of the browser.
history.replaceState(null, "", location.pathname);
if (step !== undefined && /^act_[0-9A-Za-z_]+$/.test(token)) {
  part("title").textContent = step.title;
  document.title = step.title;
  part("text").textContent = step.password === undefined ? "Click to confirm." : "8 to 128 characters that are not easy to guess.";
  if (step.password === undefined) part("fields").remove();
  part("keys").hidden = step.keys === undefined;
  part("form").hidden = false;
  part("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    part("button").disabled = true;
    part("result").textContent = "";
    const body = step.password === undefined ? {} : { [step.password]: part("password").value };
    if (step.keys !== undefined && part("revoke").checked) body[step.keys] = true;
    const sent = Object.keys(body).length === 0 ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    try {
      const answer = await fetch(part("form").dataset.base + step.path + token, { method: "POST", ...sent });
      if (answer.ok) {
        part("form").hidden = true;
        part("text").textContent = "";
        part("result").textContent = step.done;
        return;
      }
      const problem = await answer.json();
      part("result").textContent = problem.detail ?? problem.title;
    } catch {
      part("result").textContent = "The server cannot be reached. Try again.";
    }
    part("button").disabled = false;
  });
}
`;
