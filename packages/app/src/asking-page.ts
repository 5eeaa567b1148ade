import { escapeHtml, pageStart } from "@postern/rest";
import { brandOf, type ProductInForce } from "@postern/rest/internal";

/** A page that asks a person for something. */
interface AskingPage {
  readonly product: ProductInForce;
  readonly title: string;
  /** What comes before the paths of this server, if links are not completed later. */
  readonly root?: string;
  /** More for its head. */
  readonly head?: string;
  readonly main: string;
}

/**
 * The frame of the pages for the people whose accounts are on this server, in the style of the
 * documentation. Its paths begin with `/api`.
 */
export const askingPage = ({
  product,
  title,
  root,
  head = "",
  main,
}: AskingPage): string => `${pageStart(product, title, root)}${head}</head>
<body class="asking">
<header>${brandOf(product, "account", root)}</header>
<main id="content">
<h1 id="title">${escapeHtml(title)}</h1>
${main}
</main>
</body>
</html>
`;
