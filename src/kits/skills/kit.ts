/**
 * The skills kit: the list at the start of a conversation, the tool that loads a skill, and what is carried over a compaction. The list changes only
 * where the conversation starts over, so that the provider's cache stays valid.
 */

import { relative } from "node:path"
import type { CommandDefinition } from "#agent/words/command.ts"
import type { Entry } from "#agent/words/entry.ts"
import { byKind } from "#agent/words/follower.ts"
import type { Head } from "#ground/extensions/head-index.ts"
import type { Attachment, Kit } from "#agent/words/kit.ts"
import { escapeImitations } from "#agent/words/reminder.ts"
import { textOf } from "#agent/words/message.ts"
import type { JsonValue } from "#lib/json.ts"
import { meansPath } from "#lib/glob.ts"
import { onceFor } from "#lib/once-each.ts"
import { laterListing, laterShare, type SkillListing, listing } from "./listing.ts"
import { relevantTo } from "./relevant.ts"
import { byServerName, openByServer } from "./server-list.ts"
import { olderName, skillTool, skillToolName, type SkillToolPorts } from "./tool.ts"
import { againWords, isPreload, notPreloadedWords, preloadName, shownAgain, skillWords } from "./words.ts"

export interface SkillPorts extends Omit<SkillToolPorts, "names"> {
  /** Whether the tool can be called; otherwise nothing is listed. */
  readonly isOffered: () => boolean
  readonly list: () => readonly Head[]
  /** Those that the first message contains, by name; none when absent. */
  readonly preload?: readonly string[]
  /** How much of the window the list may take, from 0 to 1. */
  readonly share?: number
  /** How many characters it may take, whatever the window. */
  readonly characters?: number
  /** Whether a rule keeps one from being loaded without a question. */
  readonly isGuarded: (name: string) => boolean
  /** What belongs to a skill that is in use without having been approved: its denials and its files, nothing it allows. */
  readonly usePreloaded: (definition: CommandDefinition) => void
  readonly complain: (definition: Pick<Head, "problems">) => void
  /** What a loaded skill denies, and its hooks, apply until its turn ends, even in another process. */
  readonly tighten: (denied: readonly string[]) => void
  readonly guard: (hooks: JsonValue | undefined) => void
  /** Files that the agent has read or written, and the folder that globs are relative to. */
  readonly touched: () => readonly string[]
  readonly root: string
}

export interface Skills extends Kit {
  /** The current list again, for a conversation that starts over. */
  readonly texts: () => readonly Attachment[]
  /** Whether this kit gave an attachment of this name. */
  readonly isGiven: (name: string) => boolean
  readonly names: () => readonly string[]
  /** Loaded skills, newest first, to be shown again. */
  readonly loaded: () => readonly Attachment[]
}

const listName = "skills"
const byPathName = "skills_by_path"
const byPromptName = "skills_by_prompt"
const usualShare = 0.02
const charactersPerToken = 4

export function skillsKit(ports: SkillPorts): Skills {
  let isGiven = false
  let isPreloaded = false
  const loaded = openLoaded()

  const split = openSplit(ports)
  const forModel = (): readonly Head[] => split().forModel

  const room = (): number =>
    ports.characters ?? Math.floor(ports.window() * (ports.share ?? usualShare) * charactersPerToken)

  const byServer = openByServer(ports, room)

  const names = (): readonly string[] => [...forModel(), ...byServer.all()].map(({ name }) => name)

  const byPath = openByPath(ports, () => split().byPath)

  const byPrompt = openByPrompt(forModel, room)

  function list(): Attachment | undefined {
    const { usual, byPath: conditional, wrong } = split()
    for (const definition of wrong) ports.complain(definition)
    byPath.begin(conditional)
    const made = listing(usual, room(), () => byPrompt.wanted(usual))
    return made && { name: listName, text: made.text, ...(made.whole.length < usual.length && cutData(made)) }
  }

  function takeAttachment({ name, data, text }: Attachment): void {
    if (name === listName) {
      isGiven = true
      byPrompt.begin(data?.whole)
    }
    if (name === byServerName) byServer.announced(data?.names)
    if (name === byPromptName) byPrompt.announced(data?.whole, text)
    if (isPreload(name)) {
      isPreloaded = true
      const { skill, disallowedTools } = data ?? {}
      if (typeof skill === "string") loaded.remember(skill, text)
      if (Array.isArray(disallowedTools)) ports.tighten(disallowedTools.map(String))
    }
    if (name === byPathName && Array.isArray(data?.names)) byPath.announced(data.names.map(String))
  }

  function takeLoaded({ tool, isError, data, content }: Entry & { readonly kind: "result" }): void {
    if (tool !== skillToolName && tool !== olderName) return
    const { skill, server, forked, disallowedTools, hooks } = data ?? {}
    if (typeof server === "string") ports.servers?.wasLoaded(server)
    if (!forked) ports.guard(hooks)
    if (Array.isArray(disallowedTools)) ports.tighten(disallowedTools.map(String))
    if (!isError && !forked && typeof skill === "string") loaded.remember(skill, textOf(content))
  }

  function news(): readonly Attachment[] {
    const attachments: Attachment[] = []
    if (!isGiven) {
      const first = list()
      isGiven = true
      byPrompt.begin(first?.data?.whole)
      if (first) attachments.push(first)
    } else attachments.push(...byPrompt.becameRelevant())
    attachments.push(...byServer.news())
    const relevant = byPath.becameRelevant()
    if (relevant.length > 0) {
      const made = listing(relevant, room())
      const named = relevant.map(({ name }) => name)
      if (made) attachments.push({ name: byPathName, text: made.text, data: { names: named } })
    }
    return attachments
  }

  return {
    name: listName,
    names,
    tools: [skillTool({ ...ports, names })],
    isGiven: (name) => name === listName || name === byServerName,
    conversation: {
      onEntry: byKind({
        attachment: takeAttachment,
        prompt: ({ content }) => byPrompt.said(textOf(content)),
        result: takeLoaded,
        compaction(entry) {
          isGiven = true
          byServer.compacted(entry)
          loaded.shown(entry)
        },
      }),
      reset() {
        isGiven = false
        isPreloaded = false
        loaded.begin()
        byPath.begin()
        byPrompt.begin()
        byServer.begin()
        ports.servers?.forget()
      },
    },
    attachments(signal) {
      if (isPreloaded || !ports.preload?.length) return news()
      return preloaded(ports, signal).then((first) => {
        isPreloaded = true
        return [...first, ...news()]
      })
    },
    texts() {
      const again = list()
      return [...(again ? [again] : []), ...byServer.again()]
    },
    loaded: loaded.again,
  }
}

interface SplitHeads {
  /** All that the model may load, of which the others are parts. */
  readonly forModel: readonly Head[]
  readonly usual: readonly Head[]
  /** For certain files. */
  readonly byPath: readonly Head[]
  readonly wrong: readonly Head[]
}

function openSplit({ isOffered, list }: Pick<SkillPorts, "isOffered" | "list">): () => SplitHeads {
  const ofList = onceFor(splitHeads)
  return () => (isOffered() ? ofList(list()) : noHeads)
}

const noHeads: SplitHeads = { forModel: [], usual: [], byPath: [], wrong: [] }

/** In one loop: of a thousand heads, each callback would be compiled at the start of every session. */
function splitHeads(heads: readonly Head[]): SplitHeads {
  const forModel: Head[] = []
  const usual: Head[] = []
  const byPath: Head[] = []
  const wrong: Head[] = []
  for (const head of heads) {
    if (!head.isForModel || head.description === "") continue
    forModel.push(head)
    if (head.paths === undefined) usual.push(head)
    else byPath.push(head)
    if (head.problems.length > 0) wrong.push(head)
  }
  return { forModel, usual, byPath, wrong }
}

const cutData = ({ whole }: SkillListing): Pick<Attachment, "data"> => ({ data: { whole } })

interface LoadedSkills {
  readonly begin: () => void
  readonly remember: (name: string, text: string) => void
  readonly shown: (entry: Entry & { readonly kind: "compaction" }) => void
  readonly again: () => readonly Attachment[]
}

/** The texts of skills in use. */
function openLoaded(): LoadedSkills {
  const texts = new Map<string, string>()
  return {
    begin: () => texts.clear(),
    /** Moved to the end: the last loaded is carried over first. */
    remember(name, text) {
      texts.delete(name)
      texts.set(name, text)
    },
    shown(entry) {
      // They are in order from the newest.
      for (const { name, text } of shownAgain(entry).toReversed()) if (!texts.has(name)) texts.set(name, text)
    },
    again: () => [...texts].toReversed().map(([name, text]) => againWords(name, text)),
  }
}

interface ByPrompt {
  /** A list was given; `whole` are those that it tells whole, and absent if it does so with all. */
  readonly begin: (whole?: JsonValue) => void
  readonly said: (prompt: string) => void
  readonly wanted: (all: readonly Head[]) => readonly Head[]
  readonly announced: (names: JsonValue | undefined, text: string) => void
  readonly becameRelevant: () => readonly Attachment[]
}

const mostWanted = 12
const mostLater = 3

/** Where not all skills can be listed, those that a prompt is about are told with it, each once, in what room is left. */
function openByPrompt(forModel: () => readonly Head[], room: () => number): ByPrompt {
  let prompt = ""
  let isNew = false
  let announcedNames: ReadonlySet<string> | undefined
  let used = 0
  const markAnnounced = (names: JsonValue | undefined): void => {
    if (announcedNames && Array.isArray(names)) announcedNames = new Set([...announcedNames, ...names.map(String)])
  }
  return {
    begin(whole) {
      announcedNames = Array.isArray(whole) ? new Set(whole.map(String)) : undefined
      used = 0
    },
    said(text) {
      prompt = text
      isNew = true
    },
    wanted(all) {
      isNew = false
      return relevantTo(prompt, all, mostWanted)
    },
    announced(names, text) {
      used += text.length
      markAnnounced(names)
    },
    becameRelevant() {
      const known = announcedNames
      if (!known || !isNew) return []
      isNew = false
      const others = forModel().filter(({ name, paths }) => paths === undefined && !known.has(name))
      const made = laterListing(relevantTo(prompt, others, mostLater), room() * laterShare - used)
      return made ? [{ name: byPromptName, text: made.text, ...cutData(made) }] : []
    },
  }
}

interface ByPath {
  /** From the start, of these skills or of those there are when they are asked for. */
  readonly begin: (all?: readonly Head[]) => void
  readonly announced: (names: readonly string[]) => void
  /** Those of files that were touched since. */
  readonly becameRelevant: () => readonly Head[]
}

/** Skills for certain files, announced once such a file is touched. */
function openByPath(ports: SkillPorts, conditional: () => readonly Head[]): ByPath {
  let waiting: readonly Head[] | undefined
  const looked = new Set<string>()
  const announcedNames = new Set<string>()
  return {
    begin(all) {
      waiting = all
      announcedNames.clear()
      looked.clear()
    },
    announced(names) {
      for (const name of names) announcedNames.add(name)
    },
    becameRelevant() {
      waiting ??= conditional()
      if (waiting.length === 0) return []
      const files = ports.touched().filter((file) => !looked.has(file))
      for (const file of files) looked.add(file)
      const near = files.map((file) => relative(ports.root, file)).filter((path) => !path.startsWith(".."))
      const found = waiting.filter(
        ({ name, paths = [] }) => !announcedNames.has(name) && near.some((path) => meansPath(paths, path)),
      )
      waiting = waiting.filter((definition) => !found.includes(definition))
      return found
    },
  }
}

/** The skills that an agent begins with, and a sentence for each that it cannot have. */
async function preloaded(ports: SkillPorts, signal: AbortSignal): Promise<readonly Attachment[]> {
  const { preload = [] } = ports
  const attachments: Attachment[] = []
  for (const name of preload) {
    const definition = ports.find(name)
    const isServed = !definition && ports.servers?.find(name) !== undefined
    const why = isServed
      ? "server"
      : !definition?.isForModel
        ? "missing"
        : ports.isGuarded(name)
          ? "guarded"
          : undefined
    if (!definition || why !== undefined) {
      attachments.push({ name: preloadName, text: notPreloadedWords(name, why ?? "missing") })
      continue
    }
    ports.complain(definition)
    ports.usePreloaded(definition)
    const text = await ports.load({ definition, args: "", within: preloadName }, signal)
    const { disallowedTools } = definition
    attachments.push({
      name: preloadName,
      text: escapeImitations(skillWords(definition, text, ports.window())),
      data: { skill: name, ...(disallowedTools.length > 0 && { disallowedTools }) },
    })
  }
  return attachments
}
