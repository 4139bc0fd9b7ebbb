/** Every file of the site: the pages of the table of contents, whatever they link to, pictures, style and script. */

import { existsSync, readFileSync, statSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path/posix"
import { groups, homePage } from "./contents.ts"
import { type Neighbor, pageHtml } from "./layout.ts"
import { coloredCode, type Rendered, render } from "./render.ts"
import { escaped } from "#faces/document/answer-html.ts"

const root = resolve(import.meta.dir, "../..")

/** By path on the site: text that was made, or a file of the repository to copy. */
export type Site = ReadonlyMap<string, { readonly text: string } | { readonly copy: string }>

interface Page {
  readonly source: string
  readonly address: string
  readonly rendered: Rendered
}

const listed = groups.map(({ title, pages }) => ({
  title,
  pages: pages.filter((source) => existsSync(join(root, source))),
}))

export function buildSite(): Site {
  const files = new Map<string, { readonly text: string } | { readonly copy: string }>()
  const pages = new Map<string, Page>()
  const waiting = [homePage, ...listed.flatMap((group) => group.pages)]
  for (let source = waiting.shift(); source !== undefined; source = waiting.shift()) {
    if (pages.has(source)) continue
    const from = source
    const address = addressOf(from)
    const rendered = renderSource(from, {
      link: (href) => {
        const target = targetOf(from, href)
        if (target === undefined) return href
        if (!existsSync(join(root, target.source))) throw new Error(`${from} links to ${href}, which does not exist`)
        waiting.push(target.source)
        return `${relative(dirname(address), addressOf(target.source))}${target.hash}`
      },
      picture: (src) => {
        const copy = join(dirname(from), src)
        const to = join("pictures", src.split("/").at(-1) ?? "")
        if (!existsSync(join(root, copy))) throw new Error(`${from} shows ${src}, which does not exist`)
        files.set(to, { copy })
        return relative(dirname(address), to)
      },
    })
    pages.set(source, { source, address, rendered })
  }
  const order = [homePage, ...listed.flatMap((group) => group.pages)]
  for (const page of pages.values()) {
    const at = order.indexOf(page.source)
    const neighbor = (index: number): Neighbor | undefined => {
      const other = at < 0 ? undefined : pages.get(order[index] ?? "")
      return other && { address: relative(dirname(page.address), other.address), title: titleOf(other) }
    }
    files.set(page.address, {
      text: pageHtml({
        ...page.rendered,
        title: titleOf(page),
        isHome: page.source === homePage,
        up: relative(dirname(page.address), ".") || ".",
        before: at > 0 ? neighbor(at - 1) : undefined,
        after: neighbor(at + 1),
        contents: listed.map(({ title, pages: sources }) => ({
          title,
          links: sources.flatMap((source) => {
            const other = pages.get(source)
            if (!other) return []
            const isHere = other === page
            return [{ address: relative(dirname(page.address), other.address), title: titleOf(other), isHere }]
          }),
        })),
      }),
    })
  }
  for (const name of ["style.css", "page.js", "theme.js"]) files.set(name, { copy: join("scripts/site", name) })
  files.set("search-index.js", { text: searchIndex([...pages.values()]) })
  return files
}

/** A link of a document that leads into the repository; undefined for other sites. */
function targetOf(from: string, href: string): { readonly source: string; readonly hash: string } | undefined {
  if (/^[a-z]+:/i.test(href)) return undefined
  const [path = "", hash] = href.split("#")
  const named = path === "" ? from : join(dirname(from), path).replace(/\/$/, "")
  const isFolder = existsSync(join(root, named)) && statSync(join(root, named)).isDirectory()
  return { source: isFolder ? join(named, "README.md") : named, hash: hash === undefined ? "" : `#${hash}` }
}

function addressOf(source: string): string {
  if (source === homePage) return "index.html"
  const path = source.replace(/^docs\//, "").toLowerCase()
  return path.endsWith(".md") ? path.replace(/\.md$/, ".html") : `files/${path}.html`
}

function renderSource(source: string, addresses: Parameters<typeof render>[1]): Rendered {
  const text = readFileSync(join(root, source), "utf8")
  if (source.endsWith(".md")) return render(text, addresses)
  const language = source.split(".").at(-1) ?? ""
  const html = `<h1 id="file">${escaped(source)}</h1>\n<figure class="code"><pre tabindex="0"><code>${coloredCode(text, language)}</code></pre></figure>`
  return { html, title: source, headings: [], sections: [] }
}

const titleOf = ({ source, rendered }: Page): string => (source === homePage ? "Codewright" : rendered.title)

/** Decisions and files are for those who follow a link to them; search is for those who use the program. */
function searchIndex(pages: readonly Page[]): string {
  const found = pages
    .filter(({ source }) => source !== homePage && listed.some((group) => group.pages.includes(source)))
    .filter(({ source }) => source !== "CHANGELOG.md")
    .flatMap(({ address, rendered }) =>
      rendered.sections.map(({ id, title, text }) => [address, id, rendered.title, title, text]),
    )
  return `globalThis.searchIndex = ${JSON.stringify(found)}\n`
}
