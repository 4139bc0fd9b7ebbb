/** What a typed line does: a prompt, a shell command after `!`, or a command after a slash. */

import type { Op } from "#agent/words/op.ts"
import { unknownCommand } from "#faces/view/command-words.ts"
import type { Ids } from "#lib/ids.ts"
import { printable } from "#lib/printable.ts"
import type { NextConversation } from "#session/opening/program.ts"
import { opFailureWords } from "#session/port/op-failure-words.ts"
import type { OpFailure, SessionPort } from "#session/port/session.ts"
import type { SlashAct, SlashCommand } from "#session/port/command.ts"
import { doneText } from "#session/slash/done.ts"
import { helpText } from "#session/slash/state-text.ts"
import { slashCommand, slashTable, withOwn } from "#session/slash/table.ts"

/** What only a conversation in lines has a use for. */
export const lineCommands: readonly Omit<SlashCommand, "run">[] = [
  { name: "exit", aliases: ["quit"], group: "session", about: "Quit", takes: "" },
]

/** `leaves`: the conversation is over, perhaps for another one. */
export type Heard = "said" | ({ readonly kind: "leaves" } & Partial<NextConversation>)

export interface Speech {
  /** `steer`: a turn is running, and what is said goes in after the tools under way. */
  readonly hear: (line: string, when: "steer" | "queue") => Promise<Heard>
  /** Whether the user sees this prompt on the screen already, because they typed it there. */
  readonly isTyped: (promptId: string) => boolean
}

export function openSpeech(session: SessionPort, ids: Ids, write: (text: string) => void): Speech {
  const typed = new Set<string>()
  const tell = (text: string): void => write(`${printable(text)}\n`)

  async function submit(op: Op): Promise<boolean> {
    const done = await session.submit(op)
    if (!done.ok) tell(`! ${failureWords(done.failure)}`)
    return done.ok
  }

  async function say(line: string, when: "steer" | "queue"): Promise<void> {
    const promptId = ids.uuid()
    if (when === "queue") typed.add(promptId)
    const isTaken = await submit({ type: "prompt", content: [{ type: "text", text: line }], when, promptId })
    if (isTaken && when === "steer") tell("+ Sent at the next step.")
  }

  /** At once, beside what runs; what needs rest waits for the end of the turn. */
  async function meanwhile({ name, when }: SlashCommand, rest: string): Promise<Heard> {
    if (when === "at rest") {
      const text = `/${name} ${rest}`.trim()
      const isTaken = await submit({ type: "prompt", content: [{ type: "text", text }], when: "queue" })
      return isTaken ? told(`+ ${text} runs when the turn ends.`) : "said"
    }
    const {
      text = "",
      isError,
      ops = [],
      resume,
      fork,
    } = (await session.ask({ type: "command", name, args: rest })) ?? {}
    if (resume !== undefined) return { kind: "leaves", resume, ...(fork && { fork }) }
    for (const op of ops) if (!(await submit(op))) return "said"
    const words = text === "" ? ops.map(doneText).join("\n") : text
    return words === "" ? "said" : told(isError ? `! ${words}` : words)
  }

  /** In a turn of its own, which tells what came of it; only this face knows what else there is, and how to leave. */
  async function inTurn({ name }: SlashCommand, line: string, rest: string): Promise<Heard> {
    if (name === "help") return told(helpText(withOwn(lineCommands, await session.ask({ type: "commands" }))))
    const leaves = name === "resume" || name === "fork"
    const { resume, fork } = (leaves && (await session.ask({ type: "command", name, args: rest }))) || {}
    if (resume !== undefined) return { kind: "leaves", resume, ...(fork && { fork }) }
    await say(line, "queue")
    return "said"
  }

  function told(text: string): Heard {
    tell(text)
    return "said"
  }

  return {
    isTyped: (promptId) => typed.has(promptId),
    async hear(line, when) {
      const text = line.trim()
      const shell = /^!\s*(\S[\s\S]*)$/.exec(text)?.[1]
      if (shell !== undefined) {
        await submit({ type: "shell", command: shell })
        return "said"
      }
      const [, name, rest = ""] = /^\/([\w-]+)(?:\s+([\s\S]*))?$/.exec(text) ?? []
      if (name !== undefined && slashCommand(name, lineCommands)) return { kind: "leaves" }
      const known = name === undefined ? undefined : slashCommand(name, slashTable)
      // A key must not come into the log.
      if (known?.name === "login" && rest.trim() !== "") return told(`! ${wordsOf(known.run(rest.trim()))}`)
      if (known) return when === "steer" ? meanwhile(known, rest) : inTurn(known, line, rest)
      await say(line, when)
      return "said"
    },
  }
}

const wordsOf = (act: SlashAct): string => (act.kind === "wrong" ? act.text : "")

const failureWords = (failure: OpFailure): string =>
  failure.kind === "unknown_command" ? unknownCommand(failure) : opFailureWords(failure)
