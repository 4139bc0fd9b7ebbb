/** The frame around a page: contents on the left, headings on the right, the way on below. No inline script or style. */

import { escaped } from "#faces/document/answer-html.ts"
import type { Heading } from "./render.ts"

export interface Neighbor {
  readonly address: string
  readonly title: string
}

interface Link extends Neighbor {
  readonly isHere: boolean
}

export interface PageParts {
  readonly title: string
  readonly html: string
  readonly headings: readonly Heading[]
  readonly isHome: boolean
  /** The way to the root of the site, without a slash at the end. */
  readonly up: string
  readonly before: Neighbor | undefined
  readonly after: Neighbor | undefined
  readonly contents: readonly { readonly title: string; readonly links: readonly Link[] }[]
}

/** Nothing is loaded from anywhere else, nothing is sent anywhere, and text cannot become a script. */
const policy =
  "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; base-uri 'none'; form-action 'none'"

export function pageHtml({ title, html, headings, isHome, up, before, after, contents }: PageParts): string {
  const name = isHome ? "Codewright: a coding agent for your terminal" : `${title} · Codewright`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escaped(name)}</title>
<link rel="stylesheet" href="${up}/style.css">
<script src="${up}/theme.js"></script>
<script src="${up}/search-index.js" defer></script>
<script src="${up}/page.js" defer></script>
</head>
<body data-up="${up}"${isHome ? ' class="home"' : ""}>
<a class="skip" href="#main">Skip to content</a>
<header>
<button id="menu" type="button" aria-expanded="false" aria-controls="contents" aria-label="Contents"><span></span></button>
<a class="brand" href="${up}/index.html"><b>Codewright</b></a>
<div class="search" role="search">
<input id="search" type="search" placeholder="Search" aria-label="Search the guides" autocomplete="off" spellcheck="false" role="combobox" aria-expanded="false" aria-controls="results">
<kbd>/</kbd>
<div id="results" role="listbox" aria-label="Results" hidden></div>
</div>
<button id="theme" type="button" aria-label="Switch between light and dark"></button>
</header>
<div class="frame">
<nav id="contents" aria-label="Contents">
${contents.map(groupHtml).join("\n")}
</nav>
<main id="main">
<article>
${html}</article>
${wayOn(before, after)}
</main>
${onThisPage(headings)}
</div>
</body>
</html>
`
}

const groupHtml = ({ title, links }: PageParts["contents"][number]): string =>
  links.length === 0
    ? ""
    : `<h2>${escaped(title)}</h2>\n<ul>${links.map(({ address, title: page, isHere }) => `<li><a href="${escaped(address)}"${isHere ? ' aria-current="page"' : ""}>${escaped(page)}</a></li>`).join("")}</ul>`

function wayOn(before: Neighbor | undefined, after: Neighbor | undefined): string {
  const link = (to: Neighbor | undefined, kind: string, word: string): string =>
    to
      ? `<a class="${kind}" href="${escaped(to.address)}"><small>${word}</small>${escaped(to.title)}</a>`
      : "<span></span>"
  return `<nav class="on" aria-label="More pages">${link(before, "before", "Previous")}${link(after, "after", "Next")}</nav>`
}

function onThisPage(headings: readonly Heading[]): string {
  const shown = headings.filter(({ level }) => level === 2)
  if (shown.length < 2) return '<aside aria-hidden="true"></aside>'
  return `<aside><nav aria-label="On this page"><h2>On this page</h2><ul>${shown.map(({ id, html }) => `<li><a href="#${id}">${html}</a></li>`).join("")}</ul></nav></aside>`
}
