/** An answer's Markdown as HTML in which nothing of the text is taken for HTML. */

import { stripControls } from "#lib/printable.ts"

export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
}

const entities: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

export function answerHtml(markdown: string): string {
  const inside =
    (tag: string) =>
    (children: string): string =>
      `<${tag}>${children}</${tag}>`
  return Bun.markdown.render(stripControls(markdown), {
    // Everything that was written comes through here, also inside code and where it looked like HTML.
    text: escaped,
    html: inside("p"),
    paragraph: inside("p"),
    heading: (children, { level }) => inside(`h${Math.min(6, level + 2)}`)(children),
    strong: inside("strong"),
    emphasis: inside("em"),
    strikethrough: inside("s"),
    codespan: inside("code"),
    code: (children) => `<pre><code>${children}</code></pre>`,
    blockquote: inside("blockquote"),
    list: (children, { ordered }) => inside(ordered ? "ol" : "ul")(children),
    listItem: (children, { checked }) =>
      inside("li")(checked === undefined ? children : `${checked ? "[x]" : "[ ]"} ${children}`),
    table: inside("table"),
    thead: inside("thead"),
    tbody: inside("tbody"),
    tr: inside("tr"),
    th: inside("th"),
    td: inside("td"),
    hr: () => "<hr>",
    link: (children, { href }) =>
      isPlainLink(href) ? `<a href="${escaped(href)}" rel="noopener noreferrer">${children}</a>` : children,
    // A picture would be fetched from somewhere, so it is only named.
    image: (children, { src }) => `[image ${children} ${escaped(src)}]`,
  })
}

const isPlainLink = (href: string): boolean => /^(?:https?:\/\/|mailto:)/i.test(href.trim())
