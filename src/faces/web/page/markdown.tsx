/** Markdown as elements. Nothing in it is taken for HTML, nothing is loaded, and links lead only where they say. */

import { type ComponentType, memo, type ReactNode } from "react"
import { type Block, blocksOf, type Cell } from "#faces/view/markdown.ts"
import { type Inline, plainAddress } from "#faces/view/markdown-inline.ts"
import { Code } from "./code.tsx"
import { legibleText } from "./legible.ts"

interface MarkdownProps {
  readonly text: string
  /** The level of the page's own heading above it. */
  readonly under?: number
}

export const Markdown: ComponentType<MarkdownProps> = memo(({ text, under = 1 }) => {
  const blocks = blocksOf(legibleText(text))
  const levels = headingLevels(blocks, under)
  return <div className="markdown">{blocks.map((block, key) => drawnBlock(block, key, levels[key]))}</div>
})

/** What a text begins with is one below the page's own heading, and no level is left out on the way down. */
function headingLevels(blocks: readonly Block[], under: number): readonly (number | undefined)[] {
  const written = blocks.flatMap((block) => (block.kind === "heading" ? [block.level] : []))
  const highest = Math.min(...written)
  let last = under
  return blocks.map((block) => {
    if (block.kind !== "heading") return undefined
    last = Math.min(under + 1 + block.level - highest, last + 1, 6)
    return last
  })
}

function drawnBlock(block: Block, key: number, level = 6): ReactNode {
  switch (block.kind) {
    case "paragraph":
      return <p key={key}>{drawn(block.inlines)}</p>
    case "heading": {
      const Heading = `h${level}` as "h3"
      return <Heading key={key}>{drawn(block.inlines)}</Heading>
    }
    case "code":
      return <Code key={key} lines={block.lines} language={block.language} />
    case "quote":
      return <blockquote key={key}>{block.blocks.map((each, nth) => drawnBlock(each, nth))}</blockquote>
    case "list":
      return <List key={key} {...block} />
    case "table":
      return (
        <div className="wide" key={key} tabIndex={0} role="group" aria-label="Table">
          <table>
            <thead>
              <tr>{block.head.map(cell("th"))}</tr>
            </thead>
            <tbody>
              {block.rows.map((row, i) => (
                <tr key={i}>{row.map(cell("td"))}</tr>
              ))}
            </tbody>
          </table>
        </div>
      )
    case "rule":
      return <hr key={key} />
  }
}

const cell =
  (Kind: "td" | "th") =>
  (inlines: Cell, key: number): ReactNode => <Kind key={key}>{drawn(inlines)}</Kind>

function List({ start, items }: Block & { readonly kind: "list" }): ReactNode {
  const rows = items.map(({ checked, blocks }, i) => (
    <li key={i} className={checked === undefined ? "" : "task"}>
      {checked !== undefined && (
        <span className="box" role="img" aria-label={checked ? "done" : "to do"}>
          {checked ? "☑" : "☐"}
        </span>
      )}
      {/* A short item is a line, not a paragraph. */}
      {blocks.map((block, k) =>
        block.kind === "paragraph" && k === 0 ? <span key={k}>{drawn(block.inlines)}</span> : drawnBlock(block, k),
      )}
    </li>
  ))
  return start === undefined ? <ul>{rows}</ul> : <ol start={start}>{rows}</ol>
}

const drawn = (inlines: readonly Inline[]): ReactNode => inlines.map(drawnInline)

function drawnInline(inline: Inline, key: number): ReactNode {
  switch (inline.kind) {
    case "text":
      return inline.text
    case "code":
      return <code key={key}>{inline.text}</code>
    case "strong":
      return <strong key={key}>{drawn(inline.inlines)}</strong>
    case "emphasis":
      return <em key={key}>{drawn(inline.inlines)}</em>
    case "strike":
      return <s key={key}>{drawn(inline.inlines)}</s>
    case "break":
      return <br key={key} />
    case "image":
      return (
        <span key={key} className="dim">
          [image {inline.alt} {inline.src}]
        </span>
      )
    case "link":
      return <Link key={key} {...inline} />
  }
}

/** The host is shown when the text does not say it, so that nobody has to guess where it leads. */
function Link({ href, inlines }: Inline & { readonly kind: "link" }): ReactNode {
  const address = plainAddress(href)
  if (!address) return <span>{drawn(inlines)}</span>
  const [only] = inlines
  const isSaid = inlines.length === 1 && only?.kind === "text" && only.text.includes(address.host)
  return (
    <>
      <a href={address.href} target="_blank" rel="noopener noreferrer" title={address.href}>
        {drawn(inlines)}
      </a>
      {!isSaid && <span className="dim"> ({address.host})</span>}
    </>
  )
}
