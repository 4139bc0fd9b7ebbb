/** Commands that only a conversation in lines has, or answers in its own way. */

import type { CommandRow } from "#agent/words/command.ts"
import type { Op } from "#agent/words/op.ts"
import { forConsent } from "#lib/printable.ts"
import { withdrawInLines, withdrawLastInLines } from "./unsent.ts"

export interface LineCommand extends CommandRow {
  readonly name: "bg" | "copy" | "exit" | "keys" | "queue" | "theme" | "vim"
  readonly aliases?: readonly string[]
}

export const lineCommands: readonly LineCommand[] = [
  { name: "bg", about: "Continue this session in the background, and leave", takes: "[prompt]" },
  { name: "keys", about: "List the keys", takes: "" },
  { name: "queue", about: "Show what is queued, or take it back", takes: "[withdraw | withdraw last]" },
  { name: "theme", about: "Choose a theme", takes: "[name]" },
  { name: "vim", about: "Turn vim keys on or off", takes: "" },
  { name: "copy", about: "Copy the last answer", takes: "" },
  { name: "exit", aliases: ["quit"], about: "Quit", takes: "" },
]

export const plainKeys: string = [
  "Enter sends the line. A line that ends with a backslash continues on the next line, and pasted lines stay together.",
  "Up and Down bring back earlier lines.",
  "!command runs a shell command. #note saves a note. @path names a file.",
  "What you type while the model works is sent at the next step. /queue shows it and takes it back.",
  "Ctrl+C interrupts. At an empty prompt, Ctrl+C twice or Ctrl+D quits.",
].join("\n")

interface QueueAct {
  readonly text?: string
  readonly op?: Op
}

/** Prompts that are taken back are listed when that happens. */
export function queueAct(queue: readonly string[], rest: string): QueueAct {
  const words = rest.trim().toLowerCase()
  if (!/^(?:withdraw(?: +(?:all|last))?)?$/.test(words))
    return { text: `! /queue takes withdraw or withdraw last, not ${forConsent(rest.trim())}.` }
  if (queue.length === 0) return { text: "Nothing is queued." }
  if (words !== "") return { op: words.endsWith("last") ? withdrawLastInLines : withdrawInLines }
  const rows = queue.map((text, i) => `${i + 1}. ${forConsent(text)}`)
  return {
    text: ["Queued:", ...rows, "/queue withdraw takes all of it back, /queue withdraw last the last."].join("\n"),
  }
}
