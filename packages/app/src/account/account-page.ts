import { type Operation, type OperationAnswer, tableEntry } from "@postern/rest";
import { htmlHeaders, type ProductInForce } from "@postern/rest/internal";
import { z } from "zod";
import { askingPage } from "../asking-page.ts";
import { accountScript } from "./account-script.ts";

const pageOf = (product: ProductInForce): string =>
  askingPage({
    product,
    title: "Your account",
    head: `<meta name="referrer" content="no-referrer">
<script src="/api/assets/account.js" defer></script>
`,
    main: `<p id="text">Open this page with the link from your mail. It needs JavaScript.</p>
<form id="form" data-base="/api" hidden>
<p id="fields"><label for="password">New password</label>
<input id="password" type="password" autocomplete="new-password" minlength="8" maxlength="128" required></p>
<p id="keys" hidden><label class="check"><input id="revoke" type="checkbox"> End all API keys of the account, too</label></p>
<p><button id="button" type="submit">Confirm</button></p>
</form>
<p id="result" role="status"></p>`,
  });

const pageAnswer = (product: ProductInForce): OperationAnswer => ({
  status: 200,
  headers: { ...htmlHeaders, "referrer-policy": "no-referrer" },
  text: pageOf(product),
  isLasting: true,
});

const scriptAnswer: OperationAnswer = {
  status: 200,
  headers: { "content-type": "text/javascript; charset=utf-8" },
  text: accountScript,
  isLasting: true,
};

/**
 * The page that mailed links lead to. It asks for a click, so that programs that open links use up
 * no token.
 */
export const accountPageOperations = (product: ProductInForce): readonly Operation[] => {
  const answer = pageAnswer(product);
  return [
    tableEntry({
      id: "about.account",
      method: "GET",
      path: "/account",
      unversioned: true,
      access: "public",
      summary: "The page that links in mails lead to",
      tag: "about",
      success: { status: 200, description: "A page.", body: z.string(), contentType: "text/html" },
      handle: async () => answer,
    }),
    tableEntry({
      id: "about.account-script",
      method: "GET",
      path: "/assets/account.js",
      unversioned: true,
      access: "public",
      summary: "The script of that page",
      tag: "about",
      success: { status: 200, description: "A file.", body: z.string(), contentType: "text/javascript" },
      handle: async () => scriptAnswer,
    }),
  ];
};
