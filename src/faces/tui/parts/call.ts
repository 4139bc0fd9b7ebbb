/** A call as rows: a head that says what it is and how it stands, and below it what came of it. */

import type { Display } from "#agent/words/display.ts"
import type { AgentAtWork, CallItem, CallState } from "#faces/view/item.ts"
import { ownCommand } from "#faces/view/own-command.ts"
import { forConsent, forReading } from "#lib/printable.ts"
import { counted, durationText, sizeText, tokensText } from "#lib/figures.ts"
import { fileLink } from "#faces/tui/screen/link.ts"
import { bold, colourNamed, dim, green, magenta, red, yellow } from "#faces/tui/screen/style.ts"
import { fitted, widthOf, wrapped } from "#faces/tui/screen/width.ts"
import { changedLines } from "./diff.ts"
import { type Detail, displayRows, folded } from "./display.ts"
import { hangingIndent } from "./hanging-indent.ts"

const stateMarks: { readonly [state in CallState]: string } = {
  writing: dim("○"),
  waiting: dim("○"),
  running: yellow("●"),
  done: green("●"),
  failed: red("●"),
  denied: red("⊘"),
  dropped: dim("○"),
}

const bodyIndent = "    "
const liveRows = 5

export function callRows(call: CallItem, columns: number, detail: Detail, cwd: string | undefined): string[] {
  // The list of work is shown while there is work.
  if (detail !== "full" && call.result?.display?.kind === "todos") return []
  const body = bodyRows(call, columns - bodyIndent.length, detail)
  return [
    "",
    ...hangingIndent(markOf(call), headRows(call, columns - 2, detail, cwd)),
    ...body.map((row) => (row === "" ? "" : bodyIndent + row)),
  ]
}

/** The user's own command looks as it did when typed. */
const markOf = ({ tool, state }: CallItem): string =>
  tool === ownCommand ? (state === "failed" ? red("!") : magenta("!")) : stateMarks[state]

function headRows(call: CallItem, columns: number, detail: Detail, cwd: string | undefined): string[] {
  const note = noteOf(call, detail)
  const title = titleRows(call, cwd)
  const [first = ""] = title
  const room = columns - widthOf(note) - 3
  if (detail === "full" && (title.length > 1 || widthOf(first) > (note === "" ? columns : room)))
    return [...title.flatMap((row) => wrapped(row, columns)), ...(note === "" ? [] : wrapped(note, columns))]
  const head = title.length > 1 ? `${first} …` : first
  if (note === "") return [withFileLink(fitted(head, columns), call, cwd)]
  // A note that leaves too little of the head stands below it.
  if (widthOf(head) > room && room < columns / 2) return [fitted(head, columns), ...wrapped(note, columns)]
  return [`${withFileLink(fitted(head, room), call, cwd)}${dim(" · ")}${note}`]
}

/** The tool's name stands out; the rest keeps its line breaks. */
function titleRows({ title, state, result, agent }: CallItem, cwd: string | undefined): string[] {
  const display = result?.display
  // What the model wrote may be longer than the title of it.
  const whole =
    display?.kind === "terminal" && display.command.startsWith(afterName(title)) ? display.command : undefined
  const said = whole === undefined ? title : `${title.slice(0, title.indexOf(" ") + 1)}${whole}`
  const isOurs = state === "writing" || state === "waiting"
  const near = isOurs && cwd !== undefined ? said.replace(`${cwd}/`, "") : said
  const [first = "", ...rest] = near.trimEnd().split("\n").map(forConsent)
  const [name = "", ...words] = first.split(" ")
  return [`${colourNamed(agent?.color)(bold(name))} ${words.join(" ")}`.trimEnd(), ...rest]
}

const afterName = (title: string): string => title.slice(title.indexOf(" ") + 1)

/** Shown beside the head instead of below it. */
function noteOf(call: CallItem, detail: Detail): string {
  const { state, draft, result, refusal } = call
  if (state === "writing") return draft && draft.lines > 0 ? dim(counted(draft.lines, "line")) : ""
  if (state === "denied") return red(forReading(refusal ?? "Denied"))
  if (state === "dropped") return dim("not run")
  const display = result?.display
  if (state !== "done" || display === undefined) return ""
  if (display.kind === "diff") return changedLines([display])
  if (display.kind === "diffs") return `${dim(counted(display.files.length, "file"))} ${changedLines(display.files)}`
  return detail !== "full" && call.gathers !== undefined ? dim(gatheredWords(display)) : ""
}

/** The result of a read or search in a word or two. */
function gatheredWords(display: Display): string {
  if (display.kind === "list")
    return display.items.length === 0 ? "no results" : counted(display.items.length, "result")
  return display.kind === "text" ? forConsent(display.text) : ""
}

function withFileLink(head: string, { result }: CallItem, cwd: string | undefined): string {
  const display = result?.display
  if (cwd === undefined || (display?.kind !== "diff" && display?.kind !== "image")) return head
  const shown = forConsent(display.path)
  const path = display.path.startsWith("/") ? display.path : `${cwd}/${display.path}`
  return shown === "" ? head : head.replace(shown, () => fileLink(shown, path))
}

function bodyRows(call: CallItem, columns: number, detail: Detail): string[] {
  const { result, state, isPlan, gathers } = call
  if (state === "writing" || state === "waiting" || state === "dropped") return []
  if (result === undefined) return progressRows(call, columns)
  const { display, text } = result
  // What a refused call says is for the model; its note says it for people.
  if (state === "denied" && display === undefined) return []
  // What was declined stays in sight, also when the rest is folded.
  if (state === "denied" && !isPlan && (display?.kind === "diff" || display?.kind === "diffs"))
    return displayRows(display, columns, detail)
  if (detail !== "full" && (isPlan || state === "denied" || (gathers !== undefined && state === "done"))) {
    return display?.kind === "image" ? displayRows(display, columns, detail) : []
  }
  if (detail === "full" && state !== "done" && display?.kind !== "terminal")
    return folded(text, columns, detail).map(red)
  if (detail === "full" && gathers !== undefined) return folded(text, columns, detail)
  if (state === "failed" && display === undefined) return failureRows(text, columns)
  const rows = displayRows(display ?? { kind: "text", text }, columns, detail)
  return state === "failed" && display?.kind === "text" ? rows.map(red) : rows
}

/** An error text is mostly for the model: its first line says what went wrong. */
function failureRows(text: string, columns: number): string[] {
  const [first = ""] = forReading(text).trim().split("\n", 1)
  return wrapped(first, columns).slice(0, 3).map(red)
}

function progressRows({ tail, totalBytes, elapsedMs, agent }: CallItem, columns: number): string[] {
  if (agent) return agentRows(agent, elapsedMs, columns)
  const lines = tail.trimEnd().split("\n").slice(-liveRows)
  const rows = lines.flatMap((line) => wrapped(forReading(line).slice(0, columns * 2), columns)).slice(-liveRows)
  const figures = [
    ...(elapsedMs >= 2000 ? [durationText(elapsedMs)] : []),
    ...(totalBytes >= 4000 ? [`${sizeText(totalBytes)} so far`] : []),
  ]
  return [...(tail.trim() === "" ? [] : rows), ...(figures.length > 0 ? [dim(figures.join(" · "))] : [])]
}

/** Current activity, and below it the agents that it started, as a tree. */
function agentRows(agent: AgentAtWork, elapsedMs: number, columns: number): string[] {
  const { doing, toolUses, tokens, agents } = agent
  const figures = [
    counted(toolUses, "tool use"),
    ...(tokens > 0 ? [tokensText(tokens)] : []),
    ...(elapsedMs >= 2000 ? [durationText(elapsedMs)] : []),
  ].join(" · ")
  const own = `${fitted(forConsent(doing ?? "Thinking"), Math.max(1, columns - figures.length - 3))} ${dim(`· ${figures}`)}`
  const below = agents.flatMap((nested, i) => {
    const isLast = i === agents.length - 1
    const [first = "", ...rest] = agentRows(nested.agent, 0, columns - 3)
    const name = `${colourNamed(nested.agent.color)(bold(forConsent(nested.agent.type)))} `
    return [
      fitted(`${dim(isLast ? "└─" : "├─")} ${name}${first}`, columns),
      ...rest.map((row) => `${dim(isLast ? "  " : "│ ")} ${row}`),
    ]
  })
  return [own, ...below]
}
