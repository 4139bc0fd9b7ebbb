/** What came of a call as text, and the marks of its lines where it is a difference. */

import type { Display, FileDiff } from "#agent/words/display.ts"
import { patchText } from "#lib/diff.ts"
import { sizeText } from "#lib/figures.ts"
import { never } from "#lib/never.ts"
import type { CallPart } from "./parts.ts"

export interface ResultText {
  readonly style: "plain" | "diff"
  readonly text: string
}

export function resultText({ display, text, outcome }: CallPart): ResultText {
  // What failed is said in the answer, whatever would have been shown.
  if (!display || outcome !== "done") return { style: "plain", text }
  return displayed(display)
}

function displayed(display: Display): ResultText {
  switch (display.kind) {
    case "text":
      return { style: "plain", text: display.text }
    case "diff":
      return { style: "diff", text: fileText(display) }
    case "diffs":
      return { style: "diff", text: display.files.map(fileText).join("\n") }
    case "terminal":
      return { style: "plain", text: `$ ${display.command}\n${display.output}` }
    case "list":
      return {
        style: "plain",
        text: [...display.items, ...(display.note === undefined ? [] : [display.note])].join("\n"),
      }
    case "todos":
      return {
        style: "plain",
        text: display.todos.map(({ content, status }) => `${marks[status]} ${content}`).join("\n"),
      }
    case "plan":
      return { style: "plain", text: display.text }
    case "image":
      return { style: "plain", text: `[image ${display.path}, ${sizeText(display.bytes)}]` }
    default:
      return never(display)
  }
}

const marks = { pending: "[ ]", in_progress: "[>]", completed: "[x]" } as const

const fileText = ({ path, hunks, created }: FileDiff): string =>
  `${created ? "new file " : ""}${path}\n${patchText(hunks)}`
