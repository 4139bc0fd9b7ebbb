/**
 * What stands before the first prompt and is not from the person: memory files, the state of the repository, the date.
 * Given once, and again when the conversation begins anew; memory of deeper folders follows when a file there is touched.
 */

import type { Entry } from "#agent/words/entry.ts"
import type { Attachment, Kit } from "#agent/words/kit.ts"
import { textOf } from "#agent/words/message.ts"
import { reminder } from "#agent/words/reminder.ts"
import type { Clock } from "#lib/clock.ts"
import type { Memory, MemoryFile } from "./memory.ts"
import { longMemory, longWords, memoryWords, noteWords, outsideWords, toldIn } from "./memory-words.ts"
import { isAbout } from "./rules.ts"

export interface UserContextPorts {
  /** Memory files as they are on disk now. */
  readonly load: () => Memory
  readonly loadNested: (file: string) => Memory
  /** The files that the agent has read or written, where they really are. */
  readonly touched: () => readonly string[]
  /** Looks at the repository, where there is one. */
  readonly git?: () => Promise<string>
  /** How long the first request waits for that; what comes later is told with the next one. */
  readonly patienceMs: number
  /** What the agent noted down in earlier sessions, where that is wanted. */
  readonly notes?: () => string
  /** The date now, and the one that the system prompt names. */
  readonly date: () => string
  readonly promptDate: () => string
  /** Asks whether files from outside of the workspace may be brought in; without it they are named and left out. */
  readonly askOutside?: (paths: readonly string[], signal: AbortSignal) => Promise<boolean>
  readonly warn: (text: string) => void
  readonly clock: Clock
}

export interface UserContext extends Kit {
  /** The same once more, as it is now, for a conversation that begins anew. */
  readonly texts: (signal: AbortSignal) => Promise<readonly string[]>
  /** Whether a block of the conversation is one of those that this kit gave: what `texts` gives takes its place. */
  readonly isGiven: (block: string) => boolean
  /** The person has just kept a note in a memory file: it holds at once. */
  readonly noted: (path: string, note: string) => void
}

const contextName = "user_context"
const gitName = "git_status"
const memoryName = "memory"
const noteName = "memory_note"
const ownNames: readonly string[] = [contextName, gitName, memoryName, noteName]
const compactingPatienceMs = 1_000

export function userContextKit(ports: UserContextPorts): UserContext {
  let isGiven = false
  let isGitGiven = false
  let told = new Set<string>()
  const blocks = new Set<string>()
  const looked = new Set<string>()
  let memory: Memory | undefined
  let git = lookAtGit()
  const asked = new Set<string>()
  let warned = false

  /** Begun at once, so that it is there, or nearly, when it is wanted. */
  function lookAtGit(): { readonly done: Promise<void>; text: string | undefined } {
    const look: { done: Promise<void>; text: string | undefined } = { done: Promise.resolve(), text: undefined }
    if (ports.git)
      look.done = ports.git().then(
        (text) => void (look.text = text),
        // Without it the model has to ask git itself.
        () => {},
      )
    return look
  }

  async function gitWithin(ms: number): Promise<string | undefined> {
    if (!ports.git || git.text !== undefined) return git.text
    const over = new AbortController()
    await Promise.race([git.done, ports.clock.sleep(ms, over.signal)])
    over.abort()
    return git.text
  }

  function begin(): Memory {
    memory = ports.load()
    looked.clear()
    return memory
  }

  function contextText(files: readonly MemoryFile[]): string {
    const date = ports.date()
    const parts = [
      ...(files.length === 0 ? [] : [memoryWords(files)]),
      ...(ports.notes ? [ports.notes()] : []),
      // The system prompt names the day of the start; after a long while it is another.
      ...(date === ports.promptDate() ? [] : [`Today is ${date}.`]),
    ]
    return parts.join("\n\n")
  }

  /** Memory that became relevant by what was touched since the last look. */
  function news(signal: AbortSignal): readonly MemoryFile[] {
    const rules = memory?.rules ?? []
    const found: MemoryFile[] = []
    for (const file of ports.touched()) {
      if (looked.has(file)) continue
      looked.add(file)
      const nested = ports.loadNested(file)
      ask(nested.outside, () => ports.loadNested(file), signal)
      found.push(...nested.files, ...[...rules, ...nested.rules].filter((rule) => isAbout(rule, file)))
    }
    return once(found).filter(({ path }) => !told.has(path))
  }

  function warnOnce(files: readonly MemoryFile[]): void {
    if (warned) return
    warned = true
    for (const file of files) if (file.text.length > longMemory) ports.warn(longWords(file))
  }

  /** Not waited for: a person takes their time, and what they allow is told with the next request. */
  function ask(outside: readonly string[], reload: () => Memory, signal: AbortSignal): void {
    const unasked = outside.filter((path) => !asked.has(path))
    if (unasked.length === 0) return
    for (const path of unasked) asked.add(path)
    if (!ports.askOutside) return ports.warn(outsideWords(unasked))
    void ports.askOutside(unasked, signal).then((isAllowed) => {
      if (isAllowed) late.push(...reload().files)
    })
  }
  const late: MemoryFile[] = []
  /** What was kept since the files were told of. */
  let unsaid: string[] = []

  function take(entry: Entry): void {
    if (entry.kind === "attachment") {
      if (ownNames.includes(entry.name)) blocks.add(reminder(entry.text))
      if (entry.name === contextName) isGiven = true
      if (entry.name === gitName) isGitGiven = true
      if (entry.name === noteName) unsaid = []
      if (entry.name === contextName || entry.name === memoryName) for (const path of toldIn(entry.text)) told.add(path)
    }
    if (entry.kind === "compaction") {
      isGiven = true
      isGitGiven = true
      told = new Set(entry.messages.flatMap(({ content }) => toldIn(textOf(content))))
    }
  }

  return {
    name: contextName,
    isGiven: (block) => blocks.has(block),
    // Until the files were told of, they will be told of with the note in them.
    noted: (path, note) => void (isGiven && unsaid.push(noteWords(path, note))),
    conversation: {
      take,
      reset() {
        isGiven = false
        isGitGiven = false
        told = new Set()
        unsaid = []
        blocks.clear()
        looked.clear()
        git = lookAtGit()
      },
    },
    async attachments(signal): Promise<readonly Attachment[]> {
      const attachments: Attachment[] = []
      if (memory === undefined || !isGiven) {
        const { files, outside } = begin()
        warnOnce(files)
        ask(outside, ports.load, signal)
        const text = isGiven ? "" : contextText(files)
        if (text === "") isGiven = true
        else attachments.push({ name: contextName, text })
        for (const { path } of files) told.add(path)
      }
      if (!isGitGiven) {
        const text = await gitWithin(ports.patienceMs)
        if (text !== undefined) attachments.push({ name: gitName, text })
      }
      const files = [...news(signal), ...late.splice(0).filter(({ path }) => !told.has(path))]
      if (files.length > 0) attachments.push({ name: memoryName, text: memoryWords(files) })
      if (unsaid.length > 0) attachments.push({ name: noteName, text: unsaid.join("\n\n") })
      return attachments
    },
    async texts() {
      git = lookAtGit()
      unsaid = []
      const { files, rules } = begin()
      // What deeper folders brought in stays, as it is now, also when nobody knows any more what was touched there.
      const more = [...ports.touched(), ...told].flatMap((file) => {
        const nested = ports.loadNested(file)
        return [...nested.files, ...nested.rules]
      })
      const kept = once([...files, ...[...rules, ...more].filter(({ path }) => told.has(path))])
      const gitText = await gitWithin(compactingPatienceMs)
      return [contextText(kept), gitText ?? ""].filter((text) => text !== "")
    },
  }
}

const once = (files: readonly MemoryFile[]): readonly MemoryFile[] => [
  ...new Map(files.map((file) => [file.real, file])).values(),
]
