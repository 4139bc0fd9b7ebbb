/** What a typed line does: a prompt, a shell command after `!`, a note after `#`, or a command after `/`. */

import type { Op } from "#agent/words/op.ts"
import type { Ids } from "#lib/ids.ts"
import { nearNames } from "#lib/near.ts"
import type { NextConversation, SlashAnswer } from "#session/opening/program.ts"
import { opFailureWords } from "#session/port/op-failure-words.ts"
import type { OpFailure, SessionPort } from "#session/port/session.ts"
import type { SlashAct, SlashCommand } from "#session/port/command.ts"
import { isChoosing } from "#session/slash/choosing.ts"
import { doneText } from "#session/slash/done.ts"
import { helpText } from "#session/slash/state-text.ts"
import { slashCommand, slashTable, withOwn } from "#session/slash/table.ts"
import { saveNote } from "./note.ts"
import { pick } from "./pick.ts"
import { type LineCommand, lineCommands, plainKeys, queueAct } from "./own-commands.ts"

/** `leaves`: the conversation ends, perhaps for another one. `moves`: it continues in the background, with these words. */
export type SubmitOutcome =
  | "said"
  | { readonly kind: "leaves"; readonly instead?: NextConversation }
  | { readonly kind: "moves"; readonly prompt: string }

type Delivery = "steer" | "queue"

export interface LineSubmitter {
  /** `steer`: a turn is running, and the prompt is sent after the running tools. */
  readonly submit: (line: string, when: Delivery) => Promise<SubmitOutcome>
  /** Prompts typed here are already on the screen. */
  readonly isTyped: (promptId: string) => boolean
}

export interface LineSubmitterParts {
  readonly session: SessionPort
  readonly ids: Ids
  readonly write: (text: string) => void
  /** Words for the user as lines that fit, the last one ended. */
  readonly lines: (text: string) => string
  /** Undefined if there is none, or it was cancelled. */
  readonly ask: (words: string) => Promise<string | undefined>
  readonly queue: () => readonly string[]
  readonly copy: () => void
}

export function openLineSubmitter({ session, ids, write, lines, ask, queue, copy }: LineSubmitterParts): LineSubmitter {
  const typed = new Set<string>()
  const { print, finishWith, submit, carryOut } = openReplying({ session, write, lines })

  async function prompt(line: string, when: Delivery): Promise<SubmitOutcome> {
    const promptId = ids.uuid()
    if (when === "queue") typed.add(promptId)
    const isTaken = await submit({ type: "prompt", content: [{ type: "text", text: line }], when, promptId })
    return isTaken && when === "steer" ? finishWith("+ Sent at the next step.") : "said"
  }

  async function shell(command: string, when: Delivery): Promise<SubmitOutcome> {
    if (command === "") return finishWith("! Write a command after it, as in !npm test.")
    const isTaken = await submit({ type: "shell", command })
    return isTaken && when === "steer" ? finishWith(`+ !${command} runs when the turn ends.`) : "said"
  }

  async function note(line: string): Promise<SubmitOutcome> {
    const words = await saveNote(line, { session, ask, print, submit })
    return words === undefined ? "said" : finishWith(words)
  }

  /** At once, beside the turn, or queued for its end if the command needs that. */
  async function meanwhile({ name, when }: SlashCommand, rest: string): Promise<SubmitOutcome> {
    if (when === "at rest") {
      const text = `/${name} ${rest}`.trim()
      const isTaken = await submit({ type: "prompt", content: [{ type: "text", text }], when: "queue" })
      return isTaken ? finishWith(`+ ${text} runs when the turn ends.`) : "said"
    }
    const answer = await session.ask({ type: "command", name, args: rest })
    return answer ? carryOut(answer) : "said"
  }

  /** Repeats until something valid is chosen. */
  async function choose(command: SlashCommand, rest: string, when: Delivery): Promise<SubmitOutcome> {
    const { name } = command
    const answer = await session.ask({ type: "command", name, args: rest })
    if (!answer?.choices || answer.choices.length === 0) return answer ? carryOut(answer) : "said"
    print(answer.text)
    const picked = await pick(
      answer.choices.map((args) => ({ args })),
      ask,
    )
    if (picked === undefined) return finishWith("Nothing changed.")
    if (typeof picked !== "string") return choose(command, picked.args, when)
    return /^[/!#]/.test(picked) ? say(picked, when) : choose(command, picked, when)
  }

  /** Runs as a turn of its own, which reports the result; only this face has further commands and can leave. */
  async function inTurn(command: SlashCommand, rest: string, when: Delivery): Promise<SubmitOutcome> {
    if (command.name === "help") return finishWith(await helpOf(session))
    if (when === "steer") return meanwhile(command, rest)
    return prompt(`/${command.name} ${rest}`.trim(), "queue")
  }

  async function own({ name }: LineCommand, rest: string, when: Delivery): Promise<SubmitOutcome> {
    switch (name) {
      case "bg": {
        const { logPath } = await session.ask({ type: "about" })
        if (logPath !== undefined) return { kind: "moves", prompt: rest.trim() }
        return finishWith("! This conversation is not saved, so it cannot continue in the background.")
      }
      case "exit":
        return { kind: "leaves" }
      case "keys":
        return finishWith(plainKeys)
      case "copy":
        copy()
        return "said"
      case "theme":
        print("Plain mode has no colors. The theme of the screen:")
        return say(`/config theme ${rest}`, when)
      case "vim":
        return finishWith("Plain mode has no vim keys. /config editorMode vim turns them on for the screen.")
      case "queue": {
        const { text, op } = queueAct(queue(), rest)
        if (text !== undefined) print(text)
        if (op) await submit(op)
        return "said"
      }
    }
  }

  async function say(line: string, when: Delivery): Promise<SubmitOutcome> {
    const text = line.trim()
    if (text === "") return "said"
    // Several lines that begin with # are a document, not a note.
    if (line.startsWith("#") && !text.includes("\n")) return note(text.slice(1).trim())
    if (line.startsWith("!")) return shell(text.slice(1).trim(), when)
    const [, name, rest = ""] = /^\/([\w-]+)(?:\s+([\s\S]*))?$/.exec(text) ?? []
    const ours = name === undefined ? undefined : slashCommand(name, lineCommands)
    if (ours) return own(ours, rest, when)
    const known = name === undefined ? undefined : slashCommand(name, slashTable)
    if (!known) return prompt(line, when)
    // A key must not come into the log.
    if (known.name === "login" && rest.trim() !== "") return finishWith(`! ${wordsOf(known.run(rest.trim()))}`)
    const mayChoose = isChoosing(known.name) && (when === "queue" || known.when !== "at rest")
    return mayChoose ? choose(known, rest.trim(), when) : inTurn(known, rest, when)
  }

  return { submit: say, isTyped: (promptId) => typed.has(promptId) }
}

interface Replying {
  readonly print: (text: string) => void
  readonly finishWith: (text: string) => SubmitOutcome
  /** Whether it was taken; if not, why is told. */
  readonly submit: (op: Op) => Promise<boolean>
  readonly carryOut: (answer: SlashAnswer) => Promise<SubmitOutcome>
}

/** What the session is asked for, and what is said of its answers. */
function openReplying({ session, write, lines }: Pick<LineSubmitterParts, "session" | "write" | "lines">): Replying {
  const print = (text: string): void => write(lines(text))
  const finishWith = (text: string): SubmitOutcome => {
    print(text)
    return "said"
  }

  async function submit(op: Op): Promise<boolean> {
    const done = await session.submit(op)
    if (!done.ok) print(`! ${opFailureWords(withLineCommands(done.failure))}`)
    return done.ok
  }

  async function carryOut(answer: SlashAnswer): Promise<SubmitOutcome> {
    const { text, isError, ops = [] } = answer
    const instead = nextIn(answer)
    if (instead) return { kind: "leaves", instead }
    for (const op of ops) if (!(await submit(op))) return "said"
    const words = text === "" ? ops.map(doneText).join("\n") : text
    return words === "" ? "said" : finishWith(isError ? `! ${words}` : words)
  }

  return { print, finishWith, submit, carryOut }
}

const helpOf = async ({ ask }: SessionPort): Promise<string> =>
  `${helpText(withOwn(lineCommands, await ask({ type: "commands" })))}\n\n${plainKeys}`

const wordsOf = (act: SlashAct): string => (act.kind === "wrong" ? act.text : "")

/** The session does not know this face's commands. */
const withLineCommands = (failure: OpFailure): OpFailure =>
  failure.kind === "unknown_command"
    ? { ...failure, near: nearNames(failure.name, [...failure.near, ...lineCommands.map(({ name }) => name)]) }
    : failure

const nextIn = ({ resume, fork }: SlashAnswer): NextConversation | undefined =>
  resume === undefined ? undefined : { resume, ...(fork && { fork }) }
