/** A conversation as a Markdown document. */

import { stripControls } from "#lib/printable.ts"
import type { CallPart, DocumentPart } from "./parts.ts"
import { resultText } from "./result-text.ts"

export interface DocumentHead {
  readonly title: string
  readonly facts: readonly (readonly [name: string, value: string])[]
}

export const markdownDocument: Draw = {
  head: ({ title, facts }) =>
    `# ${oneLine(title)}\n\n${facts.map(([name, value]) => `- ${name}: ${oneLine(value)}`).join("\n")}`,
  parts: (parts) => parts.map((part) => `\n\n${partText(part)}`).join(""),
  foot: "\n",
}

/** A document in pieces: its head, parts in any number of goes, and what ends it. */
export interface Draw {
  readonly head: (head: DocumentHead) => string
  readonly parts: (parts: readonly DocumentPart[]) => string
  readonly foot: string
}

function partText(part: DocumentPart): string {
  switch (part.kind) {
    case "prompt":
      return `## Prompt\n\n${quoted(stripControls(part.text))}`
    case "answer":
      return stripControls(part.text).trim()
    case "thinking":
      return `<details><summary>Thinking</summary>\n\n${fenced(part.text, "")}\n\n</details>`
    case "notice":
      return `*${oneLine(part.text)}*`
    default:
      return callText(part)
  }
}

function callText(part: CallPart): string {
  const { style, text } = resultText(part)
  const outcome = part.outcome === "done" ? "" : ` (${part.outcome})`
  return `**${inline(part.title)}**${outcome}\n\n${fenced(text.trim() === "" ? "(no output)" : text, style === "diff" ? "diff" : "")}`
}

/** Longer than any fence in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/^\s*(`{3,})/gm)].map(([, mark = ""]) => mark.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}${language}\n${stripControls(text).replace(/\n+$/, "")}\n${fence}`
}

const quoted = (text: string): string =>
  text
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n")

const oneLine = (text: string): string => inline(text).replaceAll("*", "\\*")

/** On one line, with Markdown escaped. */
const inline = (text: string): string =>
  stripControls(text)
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[\\`<_[\]]/g, (mark) => `\\${mark}`)
    .trim()
