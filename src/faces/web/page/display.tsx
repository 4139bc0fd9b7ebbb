/** The result of a call, drawn by its kind. */

import { type ReactNode, useState } from "react"
import type { Display } from "#agent/words/display.ts"
import { sizeText, wholeNumber } from "#lib/figures.ts"
import { Diff } from "./diff.tsx"
import { legibleText } from "./legible.ts"
import { Markdown } from "./markdown.tsx"
import { Todos } from "./todos.tsx"

export function Shown({ display }: { readonly display: Display }): ReactNode {
  switch (display.kind) {
    case "text":
      return <Output text={display.text} />
    case "diff":
      return <Diff file={display} />
    case "diffs":
      return display.files.map((file, i) => <Diff key={i} file={file} />)
    case "terminal":
      return (
        <>
          <Output text={display.output} />
          {display.exitCode !== 0 && display.exitCode !== null && <p className="bad">Exit code {display.exitCode}</p>}
        </>
      )
    case "list":
      return <Output text={[...display.items, ...(display.note === undefined ? [] : [display.note])].join("\n")} />
    case "todos":
      return <Todos todos={display.todos} />
    case "plan":
      return <Markdown text={display.text} />
    case "image":
      return (
        <p className="dim">
          [image {legibleText(display.path)}, {sizeText(display.bytes)}]
        </p>
      )
  }
}

/** Long output is folded: its end, where errors are, comes with it. */
const mostLines = 16
const mostShown = 4000

export function Output({ text }: { readonly text: string }): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const lines = legibleText(text).trimEnd().split("\n")
  const isLong = lines.length > mostLines
  const shown = isOpen ? lines.slice(-mostShown) : isLong ? [...lines.slice(0, 8), "⋮", ...lines.slice(-6)] : lines
  return (
    <div className="output">
      <pre tabIndex={0} aria-label="Output">
        {shown.join("\n") || "(no output)"}
      </pre>
      {isLong && (
        <button type="button" className="more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Show less" : `Show all ${wholeNumber(lines.length)} lines`}
        </button>
      )}
    </div>
  )
}
