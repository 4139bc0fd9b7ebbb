/** Tools that come and go while the session is open: what the model was told of them, and what it must be told next. */

import type { Entry } from "#agent/words/entry.ts"
import type { ConversationFollower } from "#agent/words/follower.ts"
import type { Attachment, Guidance } from "#agent/words/kit.ts"
import type { Message, ResultContent } from "#agent/words/message.ts"
import type { ToolSpec } from "#agent/words/model.ts"
import type { AnyTool } from "#agent/words/tool.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { absentTool } from "./absent-tool.ts"
import { callToolName } from "./call-tool.ts"
import { newsWords, serverOf } from "./late-words.ts"
import {
  beginListing,
  extendListing,
  isSame,
  type Listing,
  type ListingQuestion,
  nothingListed,
  type Offer,
} from "./listing.ts"

export interface LatePorts {
  /** Those callable now that no rule hides. */
  readonly tools: () => readonly AnyTool[]
  /** What servers say about the use of their tools, as it is now. */
  readonly guidance: () => readonly Guidance[]
  /** The window of the model, in tokens. */
  readonly window: () => number
  /** Whether the model's provider takes deferred tools. */
  readonly defers: () => boolean
  /** Whether whatever is there when a conversation begins is listed whole; no when absent. */
  readonly listsAll?: boolean
  /** Whether there is ToolSearch. */
  readonly canSearch: boolean
}

export interface LateTools extends ConversationFollower {
  /** A listing for a conversation whose beginning is made anew. */
  readonly begin: () => Listing
  /** The listing with what came since; the same value when nothing did. */
  readonly extend: (listing: Listing) => Listing
  /** Requests are made with this listing, and with these words of servers in the system prompt. */
  readonly hold: (listing: Listing, guided: readonly Guidance[]) => void
  /** What the model does not know yet. It counts as told once it is taken as an entry. */
  readonly news: () => Attachment | undefined
  /** Whatever can be called, and what was there once: a call to that is answered, too. */
  readonly callable: () => readonly AnyTool[]
  readonly offer: (tool: AnyTool) => Offer
}

const newsName = "late_tools"
const mcpPrefix = "mcp__"

export function openLateTools(ports: LatePorts): LateTools {
  const specs = new WeakMap<AnyTool, { readonly spec: ToolSpec; readonly digest: string }>()
  /** Every tool that was there in this process, as it was last. */
  const seen = new Map<string, AnyTool>()
  /** Definitions that the log holds, of tools that may not be there yet. */
  const logged = new Map<string, ToolSpec>()
  /** What attachments of the conversation said: the digest of each tool, or that it is gone. */
  let told = new Map<string, string | undefined>()
  let guided = new Map<string, string>()
  let referenced = new Set<string>()
  /** Those that were loaded or called since the beginning was made, and before that. */
  let used = new Set<string>()
  let needed: ReadonlySet<string> = new Set()
  let held = nothingListed
  let listed: ReadonlyMap<string, string> = new Map()
  let heldGuidance = new Map<string, string>()

  const knownOf = (tool: AnyTool): { readonly spec: ToolSpec; readonly digest: string } => {
    const known = specs.get(tool)
    if (known) return known
    const { name, description, schema } = tool
    const spec = { name, description, input_schema: schema }
    const made = { spec, digest: digestOf(spec) }
    specs.set(tool, made)
    return made
  }
  const look = (): readonly AnyTool[] => {
    const present = ports.tools()
    for (const tool of present) seen.set(tool.name, tool)
    return present
  }
  const knownSpec = (name: string): ToolSpec | undefined => {
    const tool = seen.get(name)
    return tool ? knownOf(tool).spec : logged.get(name)
  }
  const question = (): ListingQuestion => ({
    present: look().map((tool) => knownOf(tool).spec),
    referenced,
    needed,
    known: knownSpec,
    window: ports.window(),
    listsAll: ports.listsAll ?? false,
    canSearch: ports.canSearch,
  })
  const use = (name: string): void => {
    used.delete(name)
    used.add(name)
  }

  function take(entry: Entry): void {
    switch (entry.kind) {
      case "setup":
        for (const spec of entry.tools)
          if (spec.deferred || spec.name.startsWith(mcpPrefix)) logged.set(spec.name, plainSpec(spec))
        return
      case "attachment":
        if (entry.name === newsName) hear(entry.data ?? {})
        return
      case "reply":
        if (entry.block.type === "tool_use") use(calledIn(entry.block))
        return
      case "result":
        for (const name of referencesIn(entry.content)) {
          referenced.add(name)
          use(name)
        }
        return
      case "compaction":
        told = new Map()
        guided = new Map()
        needed = new Set([...[...needed].filter((name) => !used.has(name)), ...used])
        used = new Set()
        referenced = new Set(entry.messages.flatMap(referencesOf))
        return
      default:
    }
  }

  /** An announcement of this session, read from the log again or just made. */
  function hear({ came, changed, gone, guidance }: JsonObject): void {
    for (const list of [came, changed]) for (const [name, digest] of textsIn(list)) told.set(name, digest)
    if (Array.isArray(gone)) for (const name of gone) told.set(String(name), undefined)
    for (const [from, digest] of textsIn(guidance)) guided.set(from, digest)
  }

  /** Whether its definition, as it is now, is before the model. */
  const isLoaded = (tool: AnyTool): boolean => {
    const { spec } = knownOf(tool)
    const there = [...held.plain, ...held.deferred].find(({ name }) => name === tool.name)
    return there !== undefined && isSame(there, spec) && (!there.deferred || referenced.has(tool.name))
  }
  const toldOf = (name: string): string | undefined => (told.has(name) ? told.get(name) : listed.get(name))

  return {
    take,
    reset() {
      told = new Map()
      guided = new Map()
      referenced = new Set()
      used = new Set()
      needed = new Set()
    },
    begin: () => beginListing(question()),
    extend: (listing) => extendListing(listing, question()),
    hold(listing, guidance) {
      if (listing.plain !== held.plain)
        listed = new Map(listing.plain.map((spec) => [spec.name, digestOf(plainSpec(spec))]))
      held = listing
      heldGuidance = new Map(guidance.map(({ from, text }) => [from, digestOf(text)]))
    },
    news() {
      const present = look()
      const names = new Set(present.map(({ name }) => name))
      const isOffered = ({ name }: AnyTool): boolean => ports.canSearch || listed.has(name)
      const offered = present.filter(isOffered)
      const arrived = offered.filter(({ name }) => toldOf(name) === undefined)
      // What was gone and is what it was: its definition is before the model still.
      const back = arrived.filter(isLoaded)
      const came = arrived.filter((tool) => !back.includes(tool))
      const changed = offered.filter((tool) => {
        const before = toldOf(tool.name)
        return before !== undefined && before !== knownOf(tool).digest
      })
      // What an earlier process had may only be on its way: nothing is said of what was never there in this one.
      const gone = [...seen.keys()].filter((name) => !names.has(name) && toldOf(name) !== undefined)
      const guidance = ports
        .guidance()
        .filter(({ from, text }) => (guided.get(from) ?? heldGuidance.get(from)) !== digestOf(text))
      if (arrived.length + changed.length + gone.length + guidance.length === 0) return undefined
      const isLeft = (server: string): boolean => present.some(({ name }) => serverOf(name) === server)
      return {
        name: newsName,
        text: newsWords({
          came,
          back,
          changed,
          gone,
          guidance,
          isLeft,
          loading: ports.defers() ? "reference" : "words",
        }),
        data: {
          came: Object.fromEntries(arrived.map((tool) => [tool.name, knownOf(tool).digest])),
          changed: Object.fromEntries(changed.map((tool) => [tool.name, knownOf(tool).digest])),
          gone,
          guidance: Object.fromEntries(guidance.map(({ from, text }) => [from, digestOf(text)])),
        },
      }
    },
    callable() {
      const present = look()
      const names = new Set(present.map(({ name }) => name))
      const before = [...seen.values()].filter(({ name }) => !names.has(name))
      const absent = [...logged.values()].filter(({ name }) => !seen.has(name)).map(absentTool)
      return [...present, ...before, ...absent]
    },
    offer(tool) {
      const { spec } = knownOf(tool)
      const plain = held.plain.find(({ name }) => name === tool.name)
      if (plain) return isSame(plain, spec) ? "listed" : "words"
      if (!ports.defers()) return "words"
      const deferred = held.deferred.find(({ name }) => name === tool.name)
      return !deferred || !referenced.has(tool.name) || isSame(deferred, spec) ? "reference" : "words"
    },
  }
}

const plainSpec = ({ name, description, input_schema }: ToolSpec): ToolSpec => ({ name, description, input_schema })

const digestOf = (value: unknown): string => Bun.hash(JSON.stringify(value)).toString(36)

/** The tool that a call is about, also when it goes through the one that calls others. */
const calledIn = ({ name, input }: { readonly name: string; readonly input: JsonObject }): string =>
  name === callToolName && typeof input.name === "string" ? input.name : name

const referencesOf = ({ content }: Message): readonly string[] =>
  content.flatMap((block) => (block.type === "tool_result" ? referencesIn(block.content) : []))

const referencesIn = (content: ResultContent): readonly string[] =>
  typeof content === "string"
    ? []
    : content.flatMap((block) => (block.type === "tool_reference" ? [block.tool_name] : []))

const textsIn = (value: unknown): readonly (readonly [string, string])[] =>
  isObject(value)
    ? Object.entries(value).flatMap(([name, text]) => (typeof text === "string" ? [[name, text] as const] : []))
    : []
