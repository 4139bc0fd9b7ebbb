/** The commands kit: what is said with a slash becomes a prompt, and what it brings along holds for its turn. */

import type { CommandDefinition, CommandRow, CommandUse } from "#agent/words/command.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { PromptBlock } from "#agent/words/message.ts"
import { nearNames } from "#lib/near.ts"
import { bared } from "#lib/printable.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type Catalog, type CatalogPorts, openCatalog } from "./catalog.ts"
import { expand, type ExpandPorts, framed, withoutMentions } from "./expand.ts"
import { commandIn, type Spoken } from "./recognise.ts"
import type { ServerPrompts } from "./server-prompts.ts"
import { broughtBy, openTurnScope, type TurnScope } from "./turn.ts"
import { forkedWords, gaveWords, missingWords, noForkWords, untrustedWords } from "./words.ts"

/** A command that the program answers by itself. */
export interface LocalCommand extends CommandRow {
  readonly run: (args: string, signal: AbortSignal) => string | Promise<string>
}

export interface CommandPorts extends CatalogPorts, ExpandPorts {
  readonly locals: readonly LocalCommand[]
  /** Prompts of servers; none without it. */
  readonly servers?: ServerPrompts
  /** Has an agent of its own carry something out, and gives what it reports; without it the model itself does it. */
  readonly fork?: Fork
  /** The id behind the name of a model. */
  readonly modelOf: (name: string) => string
  /** Whether there is a file or a folder of this name: then the person speaks of it. */
  readonly exists: (path: string) => boolean
  readonly warn: (text: string) => void
}

export type Fork = (
  ask: { readonly name: string; readonly prompt: string; readonly agent: string | undefined; readonly callId: string },
  signal: AbortSignal,
) => Promise<Result<string, string>>

/** What came of a command. */
export type Delivered =
  | { readonly kind: "prompt"; readonly content: readonly PromptBlock[]; readonly use?: CommandUse }
  /** It is answered, or came to nothing: the model hears nothing of it. */
  | { readonly kind: "over"; readonly typed: string; readonly text: string; readonly isError: boolean }

export interface Commands extends Kit {
  readonly catalog: Catalog
  readonly turn: TurnScope
  readonly rows: () => readonly CommandRow[]
  /** Whether it is a command that there is; the failure names those that are near. */
  readonly recognise: (content: readonly PromptBlock[]) => Result<"text" | "command", UnknownCommand>
  /** What is said to the model for it. A prompt that is no command is given back as it is. */
  readonly deliver: (said: Said, signal: AbortSignal) => Promise<Delivered>
  /** The text of one, as the model gets it when it loads it by itself. */
  readonly load: (definition: CommandDefinition, args: string, signal: AbortSignal) => Promise<string>
  /** What is wrong with a file is said once. */
  readonly complain: (definition: CommandDefinition) => void
}

/** Something said; `command` where it was one once and has been expanded already. */
export interface Said {
  readonly promptId: string
  readonly content: readonly PromptBlock[]
  readonly command?: CommandUse
}

export interface UnknownCommand {
  readonly name: string
  readonly near: readonly string[]
}

export function commandsKit(ports: CommandPorts): Commands {
  const catalog = openCatalog(ports)
  const turn = openTurnScope()
  const complained = new Set<string>()

  const local = (name: string): LocalCommand | undefined => ports.locals.find((one) => one.name === name)

  function rows(): readonly CommandRow[] {
    const own = catalog
      .list()
      .flatMap(({ isForPerson, name, description, takes }) =>
        isForPerson ? [{ name: bared(name), about: bared(description), takes: bared(takes) }] : [],
      )
    const all = [...ports.locals.map(({ name, about, takes }) => ({ name, about, takes })), ...own]
    return [...new Map([...(ports.servers?.list() ?? []), ...all].map((row) => [row.name, row])).values()].toSorted(
      (a, b) => (a.name < b.name ? -1 : 1),
    )
  }

  function isKnown(name: string): boolean {
    if (local(name) || ports.servers?.has(name)) return true
    return catalog.find(name)?.isForPerson === true
  }

  function complain({ problems }: CommandDefinition): void {
    for (const problem of problems) warnOnce(problem)
  }

  function warnOnce(text: string): void {
    if (complained.has(text)) return
    complained.add(text)
    ports.warn(text)
  }

  async function deliver({ content, command, promptId }: Said, signal: AbortSignal): Promise<Delivered> {
    if (command) {
      turn.begin(command)
      return { kind: "prompt", content, use: command }
    }
    const spoken = commandIn(content)
    if (!spoken) return { kind: "prompt", content }
    const { name, args, typed } = spoken
    const over = (text: string, isError: boolean): Delivered => ({ kind: "over", typed, text, isError })
    const own = local(name)
    if (own) return over(await own.run(args, signal), false)
    const text = (await fromServer(spoken, signal)) ?? (await fromFile(spoken, promptId, signal))
    // It was there when it was typed, or looked like it; a path, or a sentence, stays what it is.
    if (text === undefined)
      return ports.exists(`/${name}`) ? { kind: "prompt", content } : over(missingWords(name), true)
    if (signal.aborted) {
      turn.end()
      return over("Interrupted before it was sent.", false)
    }
    if (!text.ok) {
      turn.end()
      return over(text.failure, true)
    }
    const rest = content.filter(({ type }) => type !== "text")
    return {
      kind: "prompt",
      content: [...rest, { type: "text", text: text.value.text }],
      use: { typed, ...text.value.brought },
    }
  }

  type Expanded = Result<{ readonly text: string; readonly brought: Omit<CommandUse, "typed"> }, string>

  async function fromServer({ name, args }: Spoken, signal: AbortSignal): Promise<Expanded | undefined> {
    if (!ports.servers?.has(name)) return undefined
    const got = await ports.servers.get(name, args, signal)
    return got.ok ? ok({ text: withoutMentions(got.value), brought: {} }) : got
  }

  async function fromFile(
    { name, args, typed }: Spoken,
    promptId: string,
    signal: AbortSignal,
  ): Promise<Expanded | undefined> {
    const definition = catalog.find(name)
    if (!definition?.isForPerson) return undefined
    complain(definition)
    const found = broughtBy(definition, ports.trusted)
    const brought = { ...found, ...(found.model !== undefined && { model: ports.modelOf(found.model) }) }
    if (definition.source === "project" && !ports.trusted && asksForTrust(definition)) warnOnce(untrustedWords(name))
    turn.begin(brought)
    const body = await expand(definition, args, ports, signal)
    if (!definition.fork) return ok({ text: `${gaveWords(typed, definition)}\n\n${body}`, brought })
    if (!ports.fork) {
      warnOnce(noForkWords(name))
      return ok({ text: `${gaveWords(typed, definition)}\n\n${body}`, brought })
    }
    const done = await ports.fork({ name, prompt: body, agent: definition.fork.agent, callId: promptId }, signal)
    return done.ok ? ok({ text: forkedWords(typed, framed(done.value)), brought }) : failed(done.failure)
  }

  return {
    name: "commands",
    catalog,
    turn,
    rows,
    complain,
    deliver,
    load: (definition, args, signal) => expand(definition, args, ports, signal),
    recognise(content) {
      catalog.settle()
      const spoken = commandIn(content)
      if (!spoken) return ok("text")
      const { name } = spoken
      if (isKnown(name)) return ok("command")
      if (ports.exists(`/${name}`)) return ok("text")
      return failed({
        name,
        near: nearNames(
          name,
          rows().map((row) => row.name),
          3,
        ),
      })
    },
    take(entry) {
      if (entry.kind === "model") turn.dropModel()
      if (entry.kind === "prompt") turn.tighten(entry.command?.disallowedTools ?? [])
      if (entry.kind !== "turn_end") return
      turn.end()
      // Read anew when it is next looked at: files may be others by then.
      catalog.forget()
    },
  }
}

const asksForTrust = ({ body, allowedTools, model }: CommandDefinition): boolean =>
  allowedTools.length > 0 || model !== undefined || /(?:^|\s)!`|^```!/m.test(body)
