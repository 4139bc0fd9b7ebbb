/** What a conversation is made of, each kind drawn once. */

import { type ComponentType, memo, type ReactNode } from "react"
import type { Display } from "#agent/words/display.ts"
import { costText, counted, durationText, sizeText, tokensText } from "#lib/figures.ts"
import type { AgentAtWork, CallItem, CallState, EndItem, Item } from "#faces/view/item.ts"
import { endWords } from "#faces/view/lines.ts"
import { Output, Shown } from "./display.tsx"
import { legibleText } from "./legible.ts"
import { LongText } from "./long-text.tsx"
import { Markdown } from "./markdown.tsx"

export const Items: ComponentType<{ readonly items: readonly Item[] }> = memo(({ items }) =>
  items.map((item, i) => <OneItem key={i} item={item} />),
)

const OneItem = memo(function OneItem({ item }: { readonly item: Item }): ReactNode {
  switch (item.kind) {
    case "prompt":
      return (
        <div className="item prompt">
          <span className="hidden">You: </span>
          <LongText text={item.text} />
        </div>
      )
    case "text":
      return (
        <div className={`item said ${item.piece.joint}`}>
          <Markdown text={item.piece.markdown} />
        </div>
      )
    case "thinking":
      return (
        <details className="item thinking">
          <summary>Thinking</summary>
          <p>{legibleText(item.text)}</p>
        </details>
      )
    case "call":
      return <Call call={item} />
    case "notice":
      return <p className={`item notice ${item.level}`}>{legibleText(item.text)}</p>
    case "elicited":
      return (
        <p className="item notice">
          Answered {legibleText(item.server)}: {item.answer.action}
        </p>
      )
    case "end":
      return <End end={item} />
  }
})

const callStates: { readonly [state in CallState]: readonly [mark: string, words: string] } = {
  writing: ["…", "being written"],
  waiting: ["…", "waiting"],
  running: ["▸", "running"],
  done: ["✓", "done"],
  failed: ["✕", "failed"],
  denied: ["⊘", "denied"],
  dropped: ["–", "not run"],
}

/** What it did is open if it changed something or failed; what it read is there when it is asked for. */
function Call({ call }: { readonly call: CallItem }): ReactNode {
  const { state, title, result, refusal, agent, gathers, elapsedMs, isPlan } = call
  const display = result?.display
  const isChange = display?.kind === "diff" || display?.kind === "diffs"
  const isOpen = isChange || state === "failed" || state === "running" || display?.kind === "plan"
  const [mark, words] = callStates[state]
  const isDenied = refusal !== undefined && state === "denied"
  return (
    <details className={`item call ${state}`} open={isOpen && gathers === undefined && !isPlan}>
      <summary>
        <span className="mark" role="img" aria-label={words}>
          {mark}
        </span>
        <span className="title">{legibleText(title)}</span>
        {elapsedMs >= 1000 && <span className="dim"> {durationText(elapsedMs)}</span>}
      </summary>
      {agent && <Agent agent={agent} />}
      {isDenied && <p>{legibleText(refusal)}</p>}
      {(!isDenied || isChange) && <Result call={call} />}
    </details>
  )
}

function Result({ call: { result, tail, totalBytes } }: { readonly call: CallItem }): ReactNode {
  if (result?.display)
    return (
      <>
        <Lines display={result.display} />
        <Shown display={result.display} />
      </>
    )
  if (result) return <Output text={result.text} />
  if (tail === "") return null
  return (
    <>
      <Output text={tail} />
      {totalBytes > tail.length && <p className="dim">{sizeText(totalBytes)} so far</p>}
    </>
  )
}

/** The title has the first line of a command; the others are here. */
function Lines({ display }: { readonly display: Display }): ReactNode {
  if (display.kind !== "terminal" || !display.command.trim().includes("\n")) return null
  return (
    <pre className="command" tabIndex={0} aria-label="Command that ran">
      {legibleText(display.command.trim())}
    </pre>
  )
}

function Agent({ agent: { type, doing, toolUses, tokens, agents } }: { readonly agent: AgentAtWork }): ReactNode {
  return (
    <div className="agent">
      <p className="dim">
        {legibleText(type)} · {counted(toolUses, "call")} · {tokensText(tokens)}
        {doing !== undefined && ` · ${legibleText(doing)}`}
      </p>
      {agents.map(({ callId, agent }) => (
        <Agent key={callId} agent={agent} />
      ))}
    </div>
  )
}

function End({ end: { reason, message, durationMs, costUsd, files } }: { readonly end: EndItem }): ReactNode {
  const changed = [
    ...(files.created.length > 0 ? [`${counted(files.created.length, "file")} created`] : []),
    ...(files.modified.length > 0 ? [`${files.modified.length} modified`] : []),
  ]
  const facts = [durationText(durationMs), ...(costUsd > 0 ? [costText(costUsd)] : []), ...changed]
  const isGood = reason === "completed"
  return (
    <p className={`item end ${isGood ? "" : "warning"}`}>
      {isGood ? "" : `${legibleText(message ?? endWords[reason])} `}
      <span className="dim">{facts.join(" · ")}</span>
    </p>
  )
}
