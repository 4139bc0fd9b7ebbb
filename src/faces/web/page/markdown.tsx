/** Markdown as elements. Nothing in it is taken for HTML, nothing is loaded, and links lead only where they say. */

import { type ComponentType, memo, type ReactNode } from "react"
import { type Block, blocksOf, type Cell } from "#faces/view/markdown.ts"
import { type Inline, plainAddress } from "#faces/view/markdown-inline.ts"
import { Code } from "./code.tsx"
import { legibleText } from "./legible.ts"

export const Markdown: ComponentType<{ readonly text: string }> = memo(({ text }) => (
  <div className="markdown">{blocksOf(legibleText(text)).map(drawnBlock)}</div>
))

function drawnBlock(block: Block, key: number): ReactNode {
  switch (block.kind) {
    case "paragraph":
      return <p key={key}>{drawn(block.inlines)}</p>
    case "heading": {
      // The page has headings of its own above these.
      const Heading = `h${Math.min(6, block.level + 2)}` as "h3"
      return <Heading key={key}>{drawn(block.inlines)}</Heading>
    }
    case "code":
      return <Code key={key} lines={block.lines} language={block.language} />
    case "quote":
      return <blockquote key={key}>{block.blocks.map(drawnBlock)}</blockquote>
    case "list":
      return <List key={key} {...block} />
    case "table":
      return (
        <div className="wide" key={key} tabIndex={0} role="region" aria-label="Table">
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
