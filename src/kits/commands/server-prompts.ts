/** Prompts of servers as commands: `/mcp__server__prompt`, with the words after them as arguments. */

import type { CommandRow } from "#agent/words/command.ts"
import { escapeImitations } from "#agent/words/reminder.ts"
import { isObject, type JsonValue } from "#lib/json.ts"
import { plainText } from "#lib/plain-text.ts"
import { forConsent } from "#lib/printable.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { argumentWords } from "./placeholders.ts"

export interface ServerPrompts {
  readonly list: () => readonly CommandRow[]
  /** Whether one of this name exists, or may exist once its server has connected. */
  readonly has: (name: string) => boolean
  readonly get: (name: string, args: string, signal: AbortSignal) => Promise<Result<string, string>>
  /** What the last word of the arguments could become, as its server says. */
  readonly complete: (name: string, args: string, signal: AbortSignal) => Promise<readonly string[]>
}

export interface OfferedPrompt {
  readonly server: string
  readonly name: string
  readonly description: string
  readonly inputs: readonly { readonly name: string; readonly required: boolean }[]
}

export interface ServerPromptPorts {
  readonly prompts: () => readonly OfferedPrompt[]
  /** Names of the servers that are still connecting, and how to wait for them. */
  readonly expected: () => readonly string[]
  readonly settle: (signal: AbortSignal) => Promise<void>
  readonly get: (
    server: string,
    request: { readonly name: string; readonly input: Readonly<Record<string, string>> },
    signal: AbortSignal,
  ) => Promise<Result<readonly JsonValue[], string>>
  readonly complete: (
    server: string,
    request: {
      readonly prompt: string
      readonly name: string
      readonly value: string
      readonly known: Readonly<Record<string, string>>
    },
    signal: AbortSignal,
  ) => Promise<readonly string[]>
}

const mostCharacters = 100_000

export function openServerPrompts(ports: ServerPromptPorts): ServerPrompts {
  const named = (): ReadonlyMap<string, OfferedPrompt> =>
    new Map(ports.prompts().map((prompt) => [`${prefixOf(prompt.server)}${plain(prompt.name)}`, prompt]))
  const isExpected = (name: string): boolean => ports.expected().some((server) => name.startsWith(prefixOf(server)))
  return {
    has: (name) => name.startsWith("mcp__") && (named().has(name) || isExpected(name)),
    list: () =>
      [...named()].map(([name, { description, inputs }]) => ({
        name,
        about: forConsent(description.replace(/\s+/g, " ").slice(0, 200)),
        takes: forConsent(inputs.map((input) => (input.required ? `<${input.name}>` : `[${input.name}]`)).join(" ")),
      })),
    async complete(name, args, signal) {
      const prompt = named().get(name)
      const written = prompt && writtenIn(prompt, args)
      return written ? ports.complete(prompt.server, { prompt: prompt.name, ...written }, signal) : []
    },
    async get(name, args, signal) {
      if (!named().has(name)) await ports.settle(signal)
      const prompt = named().get(name)
      if (!prompt) return failed(`No server offers /${name} now. /help lists what there is.`)
      const input = inputOf(prompt, args)
      const missing = prompt.inputs.filter((one) => one.required && input[one.name] === undefined)
      if (missing.length > 0) return failed(`/${name} needs ${missing.map((one) => one.name).join(" and ")} behind it.`)
      const got = await ports.get(prompt.server, { name: prompt.name, input }, signal)
      if (!got.ok) return got
      const text = got.value.map(wordsOf).join("\n\n").trim()
      if (text === "") return failed(`The server ${prompt.server} gave no text for /${name}.`)
      return ok(escapeImitations(plainText(text.slice(0, mostCharacters))))
    },
  }
}

/** The argument that is being written, as far as it is, and those before it. */
function writtenIn({ inputs }: OfferedPrompt, args: string) {
  const words = args.split(/\s+/).filter((word) => word !== "")
  const value = /\S*$/.exec(args)?.[0] ?? ""
  const before = value === "" ? words : words.slice(0, -1)
  const input = inputs[Math.min(before.length, inputs.length - 1)]
  const known = inputs.slice(0, before.length).map(({ name }, i) => [name, before[i] ?? ""] as const)
  return input && { name: input.name, value, known: Object.fromEntries(known) }
}

/** One word each in order; the last takes the rest. */
function inputOf({ inputs }: OfferedPrompt, args: string): Readonly<Record<string, string>> {
  const words = argumentWords(args)
  const values = inputs.map((_, i) => (i === inputs.length - 1 ? words.slice(i).join(" ") : words[i]))
  return Object.fromEntries(
    inputs.flatMap(({ name }, i) => {
      const value = values[i]
      return value === undefined || value === "" ? [] : [[name, value]]
    }),
  )
}

function wordsOf(message: JsonValue): string {
  if (!isObject(message)) return ""
  const content = isObject(message.content) ? message.content : {}
  const text = typeof content.text === "string" ? content.text : resourceText(content.resource)
  const words = text ?? `[${typeof content.type === "string" ? content.type : "something"} that is no text, left out]`
  return message.role === "assistant" ? `[As an answer of yours:] ${words}` : words
}

const resourceText = (resource: JsonValue | undefined): string | undefined =>
  isObject(resource) && typeof resource.text === "string" ? resource.text : undefined

const prefixOf = (server: string): string => `mcp__${plain(server)}__`
const plain = (name: string): string => name.replace(/[^\w.-]/g, "_")
