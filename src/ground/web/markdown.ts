/** A page as Markdown: its main content, extracted and converted by libraries that are loaded for the first page. */

import { tidyHtml, type TidyLimits } from "./tidy-html.ts"
import type { DomElement } from "./turn-down.ts"

export interface MarkdownPage {
  readonly title: string
  readonly markdown: string
  /** The page was too large to be processed whole. */
  readonly isCut: boolean
}

/** Chosen so that even a hostile page is done within a second or two. */
const tidyLimits: TidyLimits = { source: 5_000_000, text: 400_000, elements: 15_000, depth: 50 }

/** Extracting the main content is the most expensive part; skipped for pages with more elements. */
const mostForReading = 5000

/** Anything shorter is a remark or a cookie notice, not the content of a page. */
const leastContent = 200

/** The part of a DOM document used here; the compiler has no browser types. */
interface DomDocument {
  readonly title: string
  readonly body: DomElement
  readonly querySelector: (selector: string) => DomElement | null
}

/** Scripts are never run. */
export async function toMarkdown(html: string, url: string): Promise<MarkdownPage> {
  const [{ parseHTML }, { Readability }, { turnDown }] = await Promise.all([
    import("linkedom"),
    import("@mozilla/readability"),
    import("./turn-down.ts"),
  ])
  const tidy = tidyHtml(html, tidyLimits)
  const source = `<html><head><title>${tidy.title}</title></head><body>${tidy.html}</body></html>`
  const build = (): DomDocument => {
    const tree: DomDocument = parseHTML(source).document
    // The parser creates a node for every entity, and the converter is slow with many in a row.
    tree.body.normalize()
    const main = tree.querySelector("main, [role=main]")
    if (main !== null && textLength(main) >= leastContent) tree.body.replaceChildren(main)
    return tree
  }
  const whole = attempt(build)
  if (whole === undefined) return { title: "", markdown: withoutTags(tidy.html), isCut: tidy.isCut }
  const { title, body } = whole
  const article = tidy.elements > mostForReading ? undefined : read()
  return { title: oneLine(title), markdown: convert(article ?? body), isCut: tidy.isCut }

  /** The main content; undefined when there is none, or when it is clearly only a fragment. */
  function read(): DomElement | undefined {
    const found = attempt(() =>
      // Extraction changes the document, so it gets its own.
      new Readability<DomElement>(build(), {
        serializer: (node: DomElement) => node,
        disableJSONLD: true,
        keepClasses: true,
      }).parse(),
    )
    const all = textLength(body)
    const length = found?.content ? textLength(found.content) : 0
    if (length < Math.min(leastContent, all)) return undefined
    const isMarked = body.querySelector("main, [role=main]") !== null
    return isMarked && length < all * 0.3 ? undefined : (found?.content ?? undefined)
  }

  /** Falls back to plain text when a page breaks the converter. */
  function convert(branch: DomElement): string {
    return attempt(() => turnDown(branch, url)) ?? plainText(branch)
  }
}

const withoutTags = (html: string): string => html.replace(/<[^>]*>/g, " ").trim()

const plainText = (branch: DomElement): string =>
  (branch.textContent ?? "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n")

const textLength = (branch: DomElement): number => (branch.textContent ?? "").replace(/\s+/g, " ").length

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim().slice(0, 300)

/** Libraries throw on input their authors did not foresee, and a page may contain that. */
function attempt<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}
