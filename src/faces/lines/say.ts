/** What a typed line does: a prompt, a shell command after `!`, or a command after a slash. */

import type { PromptBlock } from "#agent/words/message.ts"
import type { Op } from "#agent/words/op.ts"
import { unknownCommand } from "#faces/view/command-words.ts"
import { printable } from "#lib/printable.ts"
import { opFailureWords } from "#session/op-failure-words.ts"
import type { OpFailure, Session } from "#session/session.ts"
import type { SlashCommand } from "#session/slash/command.ts"
import { doneText } from "#session/slash/done.ts"
import { helpText } from "#session/slash/state-text.ts"
import { slashCommand, slashTable, withOwn } from "#session/slash/table.ts"

/** What only a conversation in lines has a use for. */
export const lineCommands: readonly Omit<SlashCommand, "run">[] = [
  { name: "exit", aliases: ["quit"], about: "Quit", takes: "" },
]

/** `leaves`: the conversation is over, perhaps for another one. */
export type Heard = "said" | { readonly kind: "leaves"; readonly resume?: string }

export interface Speech {
  /** `steer`: a turn is running, and what is said goes in after the tools under way. */
  readonly hear: (line: string, when: "steer" | "queue") => Promise<Heard>
  /** Whether the person sees this on the screen already, because they typed it at the prompt. */
  readonly isTyped: (block: PromptBlock) => boolean
  /** How many shell commands were begun: they are no turns. */
  readonly chores: () => number
}

export function openSpeech(session: Session, write: (text: string) => void): Speech {
  const typed = new Set<PromptBlock>()
  let chores = 0
  const tell = (text: string): void => write(`${printable(text)}\n`)

  function submit(op: Op): boolean {
    const done = session.submit(op)
    if (!done.ok) tell(`! ${failureWords(done.failure)}`)
    return done.ok
  }

  function say(line: string, when: "steer" | "queue"): void {
    const block: PromptBlock = { type: "text", text: line }
    if (when === "queue") typed.add(block)
    if (submit({ type: "prompt", content: [block], when }) && when === "steer") tell("+ Sent at the next step.")
  }

  /** At once, beside what runs: only what needs no rest. */
  async function meanwhile({ name, when }: SlashCommand, rest: string): Promise<Heard> {
    if (when === "at rest") return told("! Not while a turn is running. Ctrl+C interrupts it.")
    const { text = "", isError, ops = [], resume } = (await session.look.command(name, rest)) ?? {}
    if (resume !== undefined) return { kind: "leaves", resume }
    if (!ops.every(submit)) return "said"
    const words = text === "" ? ops.map(doneText).join("\n") : text
    return words === "" ? "said" : told(isError ? `! ${words}` : words)
  }

  /** In a turn of its own, which tells what came of it; only this face knows what else there is, and how to leave. */
  async function inTurn({ name }: SlashCommand, line: string, rest: string): Promise<Heard> {
    if (name === "help") return told(helpText(withOwn(lineCommands, session.look.commands())))
    const resume = name === "resume" ? (await session.look.command(name, rest))?.resume : undefined
    if (resume !== undefined) return { kind: "leaves", resume }
    say(line, "queue")
    return "said"
  }

  function told(text: string): Heard {
    tell(text)
    return "said"
  }

  return {
    isTyped: (block) => typed.has(block),
    chores: () => chores,
    async hear(line, when) {
      const text = line.trim()
      const shell = /^!\s*(\S[\s\S]*)$/.exec(text)?.[1]
      if (shell !== undefined) {
        if (submit({ type: "shell", command: shell })) chores++
        return "said"
      }
      const [, name, rest = ""] = /^\/([\w-]+)(?:\s+([\s\S]*))?$/.exec(text) ?? []
      if (name !== undefined && slashCommand(name, lineCommands)) return { kind: "leaves" }
      const known = name === undefined ? undefined : slashCommand(name, slashTable)
      if (known) return when === "steer" ? meanwhile(known, rest) : inTurn(known, line, rest)
      say(line, when)
      return "said"
    },
  }
}

const failureWords = (failure: OpFailure): string =>
  failure.kind === "unknown_command" ? unknownCommand(failure) : opFailureWords(failure.kind)
