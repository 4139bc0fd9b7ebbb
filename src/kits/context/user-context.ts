/**
 * Context before the first prompt that is not from the user: memory files, the state of the repository, the date. Given once, and again when the
 * conversation starts over; memory of deeper folders follows when a file there is touched.
 */

import { byKind } from "#agent/words/follower.ts"
import type { Attachment, Kit } from "#agent/words/kit.ts"
import { gitName, openGitNews } from "./git-news.ts"
import type { GitState } from "./git-status.ts"
import type { Memory, MemoryFile } from "./memory.ts"
import { longMemory, longWords, memoryWords, noteWords, outsideWords } from "./memory-words.ts"
import { isAbout } from "./rules.ts"
import { contextName, filesTold, memoryName, memoryFilesAfter, memoryFilesOf } from "./memory-told.ts"

export interface UserContextPorts {
  readonly load: () => Memory
  readonly loadNested: (file: string) => Memory
  /** Real paths of the files that the agent has read or written. */
  readonly touched: () => readonly string[]
  readonly git?: () => Promise<GitState>
  /** Changes with every commit and every checkout. */
  readonly gitMark?: () => string | undefined
  /** Where the agent works, if the system prompt does not say it. */
  readonly environment?: () => string
  readonly notes?: () => string
  readonly date: () => string
  readonly promptDate: () => string
  /** Asks whether files outside of the workspace may be imported; when absent, they are named and left out. */
  readonly askOutside?: (paths: readonly string[], signal: AbortSignal) => Promise<boolean>
  readonly warn: (text: string) => void
}

export interface UserContext extends Kit {
  /** The current context again, for a conversation that starts over. */
  readonly texts: (signal: AbortSignal) => Promise<readonly Attachment[]>
  /** Whether `texts` replaces attachments of this name. */
  readonly isGiven: (name: string) => boolean
  /** The user just saved a note in a memory file: it applies at once. */
  readonly noted: (path: string, note: string) => void
}

const noteName = "memory_note"
const ownNames: readonly string[] = [contextName, gitName, memoryName, noteName]

export function userContextKit(ports: UserContextPorts): UserContext {
  const git = openGitNews(ports)
  const outside = openOutside(ports)
  let isGiven = false
  let sentPaths = new Set<string>()
  const looked = new Set<string>()
  let memory: Memory | undefined
  let warned = false
  let unsaid: string[] = []

  function begin(): Memory {
    memory = ports.load()
    looked.clear()
    return memory
  }

  /** Memory that became relevant through files touched since the last check. */
  function news(signal: AbortSignal): readonly MemoryFile[] {
    const rules = memory?.rules ?? []
    const found: MemoryFile[] = []
    for (const file of ports.touched()) {
      if (looked.has(file)) continue
      looked.add(file)
      const nested = ports.loadNested(file)
      outside.ask(nested.outside, () => ports.loadNested(file), signal)
      found.push(...nested.files, ...[...rules, ...nested.rules].filter((rule) => isAbout(rule, file)))
    }
    return once([...found, ...outside.allowed()]).filter(({ path }) => !sentPaths.has(path))
  }

  function warnOnce(files: readonly MemoryFile[]): void {
    if (warned) return
    warned = true
    warnOfLong(files, ports)
  }

  const onEntry = byKind({
    attachment(entry) {
      if (entry.name === contextName) isGiven = true
      if (entry.name === gitName) git.onAttached(entry.data)
      if (entry.name === noteName) unsaid = []
      for (const path of memoryFilesOf(entry)) sentPaths.add(path)
    },
    compaction(entry) {
      isGiven = true
      git.onAttached(entry.added?.find(({ name }) => name === gitName)?.data)
      sentPaths = new Set(memoryFilesAfter(entry))
    },
    reply({ block }) {
      if (block.type === "tool_use") git.onCall()
    },
  })

  function beginning(signal: AbortSignal): readonly Attachment[] {
    if (memory !== undefined && isGiven) return []
    const { files, outside: unread } = begin()
    warnOnce(files)
    outside.ask(unread, ports.load, signal)
    for (const { path } of files) sentPaths.add(path)
    const text = isGiven ? "" : contextText(ports, files)
    if (text !== "") return [{ name: contextName, text, data: filesTold(files) }]
    isGiven = true
    return []
  }

  function all(first: readonly Attachment[], seen: Attachment | undefined, signal: AbortSignal): readonly Attachment[] {
    const files = news(signal)
    return [
      ...first,
      ...(seen === undefined ? [] : [seen]),
      ...(files.length === 0 ? [] : [{ name: memoryName, text: memoryWords(files), data: filesTold(files) }]),
      ...(unsaid.length === 0 ? [] : [{ name: noteName, text: unsaid.join("\n\n") }]),
    ]
  }

  return {
    name: contextName,
    isGiven: (name) => ownNames.includes(name),
    // Files not shown yet will be shown with the note in them.
    noted: (path, note) => void (isGiven && unsaid.push(noteWords(path, note))),
    conversation: {
      onEntry,
      reset() {
        isGiven = false
        sentPaths = new Set()
        unsaid = []
        looked.clear()
        git.reset()
      },
    },
    // What is told must not depend on how busy the machine is.
    isAwaited: true,
    attachments(signal) {
      const first = beginning(signal)
      const seen = git.news()
      return seen instanceof Promise ? seen.then((state) => all(first, state, signal)) : all(first, seen, signal)
    },
    async texts() {
      const looking = git.again()
      unsaid = []
      const { files, rules } = begin()
      // Memory of deeper folders stays, in its current form, even if it is no longer known what was touched there.
      const more = [...ports.touched(), ...sentPaths].flatMap((file) => {
        const nested = ports.loadNested(file)
        return [...nested.files, ...nested.rules]
      })
      const kept = once([...files, ...[...rules, ...more].filter(({ path }) => sentPaths.has(path))])
      const seen = await looking
      return [
        { name: contextName, text: contextText(ports, kept), data: filesTold(kept) },
        ...(seen === undefined ? [] : [seen]),
      ].filter(({ text }) => text !== "")
    },
  }
}

function warnOfLong(files: readonly MemoryFile[], { warn }: UserContextPorts): void {
  for (const file of files) if (file.text.length > longMemory) warn(longWords(file))
}

function contextText(ports: UserContextPorts, files: readonly MemoryFile[]): string {
  const date = ports.date()
  const parts = [
    ...(ports.environment ? [ports.environment()] : []),
    ...(files.length === 0 ? [] : [memoryWords(files)]),
    ...(ports.notes ? [ports.notes()] : []),
    // The system prompt has the start date; in a long session that changes.
    ...(date === ports.promptDate() ? [] : [`Today is ${date}.`]),
  ]
  return parts.join("\n\n")
}

/** Files outside of the workspace: asked about once, and included with the next request once allowed. */
function openOutside({ askOutside, warn }: UserContextPorts) {
  const asked = new Set<string>()
  const late: MemoryFile[] = []
  return {
    allowed: (): readonly MemoryFile[] => late.splice(0),
    /** Not awaited: the user may take their time. */
    ask(paths: readonly string[], reload: () => Memory, signal: AbortSignal): void {
      const unasked = paths.filter((path) => !asked.has(path))
      if (unasked.length === 0) return
      for (const path of unasked) asked.add(path)
      if (!askOutside) return warn(outsideWords(unasked))
      void askOutside(unasked, signal).then((isAllowed) => {
        if (isAllowed) late.push(...reload().files)
      })
    },
  }
}

const once = (files: readonly MemoryFile[]): readonly MemoryFile[] => [
  ...new Map(files.map((file) => [file.real, file])).values(),
]
