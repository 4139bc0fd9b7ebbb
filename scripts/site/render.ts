/** Markdown of our documents as HTML in which nothing of the text is taken for HTML. */

import { escaped } from "#faces/document/answer-html.ts"
import { languageNamed } from "#faces/view/syntax/languages.ts"
import { type OpenToken, openScan } from "#faces/view/syntax/scan.ts"

export interface Heading {
  readonly level: number
  readonly id: string
  /** As HTML, with code in it as code. */
  readonly html: string
  readonly text: string
}

/** What is found by search: a heading, and the text up to the next one. */
export interface Section {
  readonly id: string
  readonly title: string
  readonly text: string
}

export interface Rendered {
  readonly html: string
  readonly title: string
  readonly headings: readonly Heading[]
  readonly sections: readonly Section[]
}

/** Where links and pictures of a document lead on the site. */
export interface Addresses {
  readonly link: (href: string) => string
  readonly picture: (src: string) => string
}

const wrap =
  (tag: string) =>
  (children: string): string =>
    `<${tag}>${children}</${tag}>\n`

export function render(markdown: string, { link, picture }: Addresses): Rendered {
  const infos = [...markdown.matchAll(/^ *```(.*)\n(?:.*\n)*? *```$/gm)].map(([, info = ""]) => info.trim())
  const headings: Heading[] = []
  const used = new Map<string, number>()
  let block = 0
  const html = Bun.markdown.render(
    markdown,
    {
      text: escaped,
      html: (children) => {
        if (/^\s*&lt;!--.*--&gt;\s*$/s.test(children)) return ""
        throw new Error(`HTML in a document is not supported: ${children}`)
      },
      paragraph: (children) => (children.startsWith("<figure>") ? children : wrap("p")(children)),
      heading: (children, { level }) => {
        const text = unescaped(children.replaceAll(/<[^>]+>|\n/g, ""))
        const id = unique(anchorOf(text), used)
        headings.push({ level, id, html: children, text })
        return `<h${level} id="${id}">${children}${level === 1 ? "" : `<a class="anchor" href="#${id}" aria-label="Link to ${escaped(text)}"></a>`}</h${level}>\n`
      },
      strong: wrap("strong"),
      emphasis: wrap("em"),
      strikethrough: wrap("s"),
      codespan: (children) => `<code>${children}</code>`,
      code: (children) => codeBlock(unescaped(children), infos[block++] ?? ""),
      blockquote: wrap("blockquote"),
      list: (children, { ordered }) => wrap(ordered ? "ol" : "ul")(children),
      listItem: wrap("li"),
      table: (children) => `<div class="table" tabindex="0"><table>${children}</table></div>\n`,
      thead: (children) => (plain(children).trim() === "" ? "" : wrap("thead")(children)),
      tbody: wrap("tbody"),
      tr: wrap("tr"),
      th: wrap("th"),
      td: wrap("td"),
      hr: () => "<hr>\n",
      link: (children, { href }) => `<a href="${escaped(link(href))}">${children}</a>`,
      image: (children, { src }) =>
        `<figure><img src="${escaped(picture(src))}" alt="${children}" loading="lazy"><figcaption>${children}</figcaption></figure>`,
    },
    { noIndentedCodeBlocks: true },
  )
  return { html, title: headings[0]?.text ?? "", headings, sections: sectionsOf(html, headings) }
}

/** As GitHub names them, so that links work in both places. */
const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

function unique(id: string, used: Map<string, number>): string {
  const count = used.get(id) ?? 0
  used.set(id, count + 1)
  return count === 0 ? id : `${id}-${count}`
}

/** What the second word of a fence tells a reader; see test/suite/guides.test.ts for what it tells the tests. */
const captions: { readonly [mark: string]: string } = { output: "Output", prompt: "You type", settings: "Settings" }

function codeBlock(text: string, info: string): string {
  const [language = "", mark = "", file] = info.split(" ")
  const caption = file ?? captions[mark]
  const head = caption === undefined ? "" : `<figcaption>${escaped(caption)}</figcaption>`
  const kind = mark === "output" ? "code output" : "code"
  return `<figure class="${kind}">${head}<pre tabindex="0"><code>${coloredCode(text, language)}</code></pre></figure>\n`
}

export function coloredCode(text: string, name: string): string {
  const language = languageNamed(name)
  if (!language) return escaped(text)
  const scan = openScan(language)
  let open: OpenToken = undefined
  return text
    .split("\n")
    .map((line) => {
      const scanned = scan(line, open)
      open = scanned.open
      return scanned.tokens
        .map(({ text: piece, role }) =>
          role === "plain" ? escaped(piece) : `<span class="${role}">${escaped(piece)}</span>`,
        )
        .join("")
    })
    .join("\n")
}

function sectionsOf(html: string, headings: readonly Heading[]): readonly Section[] {
  const parts = html.split(/(?=<h[1-6] id=")/)
  return parts.flatMap((part) => {
    const id = /^<h[1-6] id="([^"]+)"/.exec(part)?.[1]
    const heading = headings.find((one) => one.id === id)
    if (!heading) return []
    const body = part.replace(/^<h[1-6].*?<\/h[1-6]>/s, "")
    return [{ id: heading.id, title: heading.text, text: plain(body).replaceAll(/\s+/g, " ").trim() }]
  })
}

const plain = (html: string): string =>
  unescaped(html.replaceAll(/<[^>]+>/g, " ").replaceAll(/ (?=[.,;:)])/g, "")).trim()

const unescaped = (text: string): string =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")
