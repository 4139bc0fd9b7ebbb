/** Delivers a command to the model: from a server's prompt or from a file, with what applies to its turn. */

import type { CommandDefinition, CommandUse } from "#agent/words/command.ts"
import { type PromptOrigin, typedPart } from "#agent/words/origin.ts"
import type { PromptBlock } from "#agent/words/message.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Catalog } from "./catalog.ts"
import { expand, type Expansion, framed, isBelieved, withoutMentions } from "./expand.ts"
import type { CommandPorts } from "./ports.ts"
import { commandIn, type TypedCommand } from "./recognise.ts"
import { broughtBy, type TurnScope } from "./turn.ts"
import {
  changedWords,
  forkedWords,
  gaveWords,
  missingWords,
  newHooksWords,
  noForkWords,
  untrustedWords,
  wrongHooksWords,
} from "./words.ts"

/** A prompt; `command` is set if it was a command and is already expanded. */
export interface PromptToDeliver {
  readonly promptId: string
  readonly content: readonly PromptBlock[]
  readonly command?: CommandUse
  readonly origin?: PromptOrigin
}

export type Delivered =
  | { readonly kind: "prompt"; readonly content: readonly PromptBlock[]; readonly use?: CommandUse }
  /** It was answered or did nothing: the model is not told. */
  | { readonly kind: "over"; readonly typed: string; readonly text: string; readonly isError: boolean }

export interface DeliveryParts {
  readonly ports: CommandPorts
  readonly catalog: Catalog
  readonly turn: TurnScope
  readonly complain: (definition: CommandDefinition) => void
  readonly warnOnce: (text: string) => void
}

type Expanded = Result<Expansion & { readonly brought: Omit<CommandUse, "typed" | "meant"> }, string>

/** Whether it contains no output: then it need not be stored twice. */
const isPlain = (text: string, meant: string): boolean => text === meant && !text.includes("<command-output>")

export async function deliver(
  parts: DeliveryParts,
  { content, command, promptId, origin }: PromptToDeliver,
  signal: AbortSignal,
): Promise<Delivered> {
  const { ports, catalog, turn } = parts
  if (command) {
    turn.begin(command)
    return { kind: "prompt", content, use: command }
  }
  const spoken = commandIn(content)
  if (!spoken) return { kind: "prompt", content }
  const { name, typed } = spoken
  const over = (text: string, isError: boolean): Delivered => ({ kind: "over", typed, text, isError })
  const text =
    (await fromServer(parts, spoken, signal)) ??
    (await fromFile(parts, spoken, { promptId, ...optional("origin", origin) }, signal))
  if (text === undefined) {
    const why = catalog.rejected(name)
    if (why !== undefined) return over(why, true)
    // It existed when it was typed, or looked like it; a path or a sentence stays what it is.
    return ports.exists(`/${name}`) ? { kind: "prompt", content } : over(missingWords(name), true)
  }
  if (signal.aborted) {
    turn.end()
    return over("Interrupted before it was sent.", false)
  }
  if (!text.ok) {
    turn.end()
    return over(text.failure, true)
  }
  const rest = content.filter(({ type }) => type !== "text")
  const { text: said, meant, brought } = text.value
  return {
    kind: "prompt",
    content: [...rest, { type: "text", text: said }],
    use: { typed, ...optional("meant", isPlain(said, meant) ? undefined : meant), ...brought },
  }
}

async function fromServer(
  { ports }: DeliveryParts,
  { name, args }: TypedCommand,
  signal: AbortSignal,
): Promise<Expanded | undefined> {
  if (!ports.servers?.has(name)) return undefined
  const got = await ports.servers.get(name, args, signal)
  if (!got.ok) return got
  const text = withoutMentions(got.value)
  return ok({ text, meant: text, brought: {} })
}

async function fromFile(
  { ports, catalog, turn, complain, warnOnce }: DeliveryParts,
  spoken: TypedCommand,
  { promptId, origin }: Pick<PromptToDeliver, "promptId" | "origin">,
  signal: AbortSignal,
): Promise<Expanded | undefined> {
  const { name, args, typed } = spoken
  const definition = catalog.find(name)
  if (!definition?.isForPerson) return undefined
  complain(definition)
  const isOurs = isBelieved(definition, ports)
  const wrong = await ports.wrongHooks?.(definition)
  if (wrong !== undefined) return failed(wrongHooksWords(`/${name}`, definition, wrong))
  const isSettled = catalog.isSettled(definition)
  const found = broughtBy(definition, isOurs, isSettled)
  const brought = { ...found, ...(found.model !== undefined && { model: ports.modelOf(found.model) }) }
  if (!isOurs && asksForTrust(definition)) warnOnce(ports.trusted ? changedWords(name) : untrustedWords(name))
  if (isOurs && definition.hooks && !isSettled) warnOnce(newHooksWords(name))
  turn.begin(brought)
  const body = await expand(
    { definition, args, typedArgs: typedArgsOf(spoken, origin), within: promptId },
    ports,
    signal,
  )
  const { fork } = definition
  if (!fork || !ports.fork) {
    if (fork) warnOnce(noForkWords(name))
    const gave = (line: string): string => gaveWords(line, definition)
    const meant = `${gave(typedPart(typed, origin))}\n\n${body.meant}`
    return ok({ text: `${gave(typed)}\n\n${body.text}`, meant, brought: { ...brought, source: definition.source } })
  }
  // The agent has them now; of the turn that reports, only denials are left.
  const { allowedTools: _lent, hooks: _watching, ...rest } = brought
  turn.begin(rest)
  const done = await ports.fork(
    { name, prompt: body.text, agent: fork.agent, within: promptId, lends: brought },
    signal,
  )
  if (!done.ok) return failed(done.failure)
  return ok({
    text: forkedWords(typed, framed(done.value)),
    meant: forkedWords(typedPart(typed, origin), ""),
    brought: rest,
  })
}

/** Of the arguments, the part that a person typed. */
const typedArgsOf = ({ args, typed }: TypedCommand, origin: PromptOrigin | undefined): string => {
  const part = typedPart(typed, origin)
  return part === typed ? args : (commandIn([{ type: "text", text: part }])?.args ?? "")
}

const asksForTrust = ({ body, allowedTools, model, effort, hooks }: CommandDefinition): boolean =>
  allowedTools.length > 0 ||
  hooks !== undefined ||
  model !== undefined ||
  effort !== undefined ||
  /(?:^|\s)!`|^```!/m.test(body)
