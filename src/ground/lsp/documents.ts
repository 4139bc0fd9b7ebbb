/**
 * The documents a language server has, and whether it has answered for them: it is asked where it can be, and listened
 * to where it publishes by itself.
 */

import type { Clock } from "#lib/clock.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import type { ServerConnection } from "./connection.ts"
import { pathOf, type Problem, problemsIn, uriOf } from "./protocol.ts"

export interface DocumentParts {
  readonly connection: Pick<ServerConnection, "request" | "notify" | "closed">
  readonly clock: Clock
  readonly languageOf: (path: string) => string
  /** Whether it can be asked for its problems. */
  readonly pulls: () => boolean
}

export interface Documents {
  readonly sync: (path: string, text: string) => void
  readonly forget: (path: string) => void
  readonly published: (params: JsonValue) => void
  /** What was said so far may have changed without a change of a document. */
  readonly stale: () => void
  readonly checked: (signal: AbortSignal) => Promise<void>
  readonly problems: (path: string) => readonly Problem[] | undefined
}

interface Document {
  readonly uri: string
  version: number
  text: string
  published: readonly Problem[] | undefined
  pulled: readonly Problem[] | undefined
  /** Whether it has said something about the text of now. */
  isAnswered: boolean
  /** Whether an answer may be an early one, about part of the text or an older one. */
  isSettled: boolean
  /** Counts what could change its problems; what is asked for before counts no more. */
  asked: number
}

/** The oldest is closed; its problems are told no more. */
const mostDocuments = 50
/** A change of one document may break another, so these many of the latest are asked about again. */
const mostPulled = 10
/** Servers without versions publish in parts: first what is quickly known. */
const settleMs = 300

export function openDocuments({ connection, clock, languageOf, pulls }: DocumentParts): Documents {
  const documents = new Map<string, Document>()
  const { changed, nextChange } = openChanges()
  let isGone = false
  let round = 0
  let isPullDue = false

  void connection.closed.then(() => {
    isGone = true
    changed()
  })

  function forget(path: string): void {
    const document = documents.get(path)
    if (!document) return
    documents.delete(path)
    connection.notify("textDocument/didClose", { textDocument: { uri: document.uri } })
    changed()
  }

  async function pull(document: Document): Promise<void> {
    const mine = (document.asked = ++round)
    const never = new AbortController().signal
    const answer = await connection.request("textDocument/diagnostic", { textDocument: { uri: document.uri } }, never)
    if (document.asked !== mine) return
    if (answer.ok && isObject(answer.value) && answer.value.kind !== "unchanged")
      document.pulled = problemsIn(answer.value.items)
    document.isAnswered = true
    document.isSettled = true
    changed()
  }

  /** Asks again about the latest documents; those that are being asked about answer once. */
  function pullLatest(): void {
    isPullDue = false
    for (const document of [...documents.values()].slice(-mostPulled)) {
      document.isAnswered = false
      void pull(document)
    }
  }

  async function until(isDone: () => boolean, within: AbortSignal): Promise<void> {
    for (;;) {
      // It may say only now that it can be asked.
      if (pulls() && isPullDue) pullLatest()
      if (isGone || within.aborted || isDone()) return
      await nextChange(within)
    }
  }

  return {
    sync(path, text) {
      const before = documents.get(path)
      if (before?.text === text) return
      const document = before ?? emptyDocument(path)
      document.version++
      document.text = text
      document.isAnswered = false
      document.isSettled = false
      // The latest comes last.
      documents.delete(path)
      documents.set(path, document)
      for (const [method, params] of before ? changeOf(document) : openingOf(document, languageOf(path)))
        connection.notify(method, params)
      isPullDue = true
      for (const oldest of documents.keys()) {
        if (documents.size <= mostDocuments) break
        forget(oldest)
      }
    },
    forget,
    published(params) {
      const document = isObject(params) ? documents.get(pathOf(params.uri) ?? "") : undefined
      if (document && isObject(params) && publish(document, params, !pulls())) changed()
    },
    stale() {
      isPullDue = true
      changed()
    },
    async checked(signal) {
      const all = [...documents.values()]
      const isOpen = (document: Document): boolean => [...documents.values()].includes(document)
      await until(() => all.every((document) => document.isAnswered || !isOpen(document)), signal)
      if (isGone || signal.aborted || all.every(({ isSettled }) => isSettled)) return
      const over = new AbortController()
      const cancel = clock.after(settleMs, () => over.abort())
      await until(() => false, AbortSignal.any([signal, over.signal]))
      cancel()
      for (const document of all) document.isSettled ||= document.isAnswered
    },
    problems(path) {
      const document = documents.get(path)
      // What it said about an earlier text counts no more.
      if (!document?.isAnswered) return undefined
      return once([...(document.pulled ?? []), ...(document.published ?? [])])
    },
  }
}

const emptyDocument = (path: string): Document => ({
  uri: uriOf(path),
  version: 0,
  text: "",
  published: undefined,
  pulled: undefined,
  isAnswered: false,
  isSettled: false,
  asked: 0,
})

/** Whether it is about the text of now. */
function publish(document: Document, { version, diagnostics }: JsonObject, isAnswer: boolean): boolean {
  const isVersioned = typeof version === "number"
  if (isVersioned && version < document.version) return false
  document.published = problemsIn(diagnostics)
  document.isAnswered ||= isAnswer
  document.isSettled ||= isAnswer && isVersioned
  return true
}

type SentNotice = readonly [method: string, params: JsonObject]

const openingOf = ({ uri, version, text }: Document, languageId: string): readonly SentNotice[] => [
  ["textDocument/didOpen", { textDocument: { uri, languageId, version, text } }],
]

/** Some servers check only what was saved, and it was. */
const changeOf = ({ uri, version, text }: Document): readonly SentNotice[] => [
  ["textDocument/didChange", { textDocument: { uri, version }, contentChanges: [{ text }] }],
  ["textDocument/didSave", { textDocument: { uri } }],
]

/** Wakes those who wait for anything to change. */
function openChanges(): {
  readonly changed: () => void
  readonly nextChange: (signal: AbortSignal) => Promise<void>
} {
  let listeners: (() => void)[] = []
  return {
    changed() {
      const all = listeners
      listeners = []
      for (const listener of all) listener()
    },
    nextChange: (signal) =>
      new Promise((resolve) => {
        const wake = (): void => {
          signal.removeEventListener("abort", wake)
          resolve()
        }
        listeners.push(wake)
        signal.addEventListener("abort", wake)
      }),
  }
}

/** A server that is asked may publish the same besides. */
function once(problems: readonly Problem[]): readonly Problem[] {
  const seen = new Set<string>()
  return problems.filter(({ line, column, message }) => {
    const key = `${line} ${column} ${message}`
    const isNew = !seen.has(key)
    seen.add(key)
    return isNew
  })
}
