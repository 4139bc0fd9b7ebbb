/** Lets faces in other processes of the same user use a session that this process has open. */

import type { Event } from "#agent/words/event.ts"
import type { Op } from "#agent/words/op.ts"
import { listenLocally, type LineSocket, type SocketEvents } from "#ground/workspace/processes/local-socket.ts"
import type { EditorBuffers } from "#ground/workspace/editor-buffers.ts"
import { isObject } from "#lib/json.ts"
import type { Result } from "#lib/result.ts"
import type { AttachedEditors } from "./attached-editors.ts"
import { decodeToHolder, type ToFace, type ToHolder } from "./relay-words.ts"
import type { Session } from "./session.ts"

export interface OfferParts {
  readonly session: Session
  readonly path: string
  readonly version: string
  readonly pid: number
  readonly isWelcome: (fd: number) => boolean
  /** Editors that attach are told to the session here. */
  readonly editors?: AttachedEditors | undefined
  /** Called with how many faces use it, when that changes. */
  readonly onFaces?: (count: number) => void
}

export function offerSession(parts: OfferParts): Result<{ readonly stop: () => void }, string> {
  const { path, isWelcome, onFaces = () => {} } = parts
  let [faces, count] = [0, 0]
  return listenLocally(path, isWelcome, (socket) => {
    const relay = openRelay(parts, socket, `face ${++faces}`)
    onFaces(++count)
    return {
      ...relay,
      onClosed() {
        relay.onClosed()
        onFaces(--count)
      },
    }
  })
}

/** `face`: which of those that have attached it is. */
function openRelay({ session, version, pid, editors }: OfferParts, socket: LineSocket, face: string): SocketEvents {
  const asking = new Map<number, AbortController>()
  const followed = new Map<number, AsyncIterator<Event>>()
  const send = (message: ToFace): void => socket.send(message)
  const files = openRelayedFiles(send)
  let leaveEditors = (): void => undefined
  // What is new for a face begins when it comes.
  const opened = session.ask({ type: "last_entry" })

  async function follow({ number, after }: ToHolder & { type: "events" }): Promise<void> {
    const events = session.events(after)[Symbol.asyncIterator]()
    followed.set(number, events)
    for (let next = await events.next(); !next.done; next = await events.next()) {
      if (!followed.has(number)) return
      send({ type: "event", number, event: asSeenBy(face, next.value) })
    }
    followed.delete(number)
    send({ type: "end", number })
  }

  async function answer({ number, query }: ToHolder & { type: "ask" }): Promise<void> {
    const cancelled = new AbortController()
    asking.set(number, cancelled)
    try {
      const result = await session.ask(query, cancelled.signal)
      const about = query.type === "about" ? { opened: (await opened).cursor, isShared: true } : undefined
      send({ type: "answer", number, answer: about && isObject(result) ? { ...result, ...about } : result })
    } catch (error) {
      send({ type: "refused", number, why: error instanceof Error ? error.message : String(error) })
    }
    asking.delete(number)
  }

  async function submit({ number, op }: ToHolder & { type: "submit" }): Promise<void> {
    send({ type: "submitted", number, done: await session.submit(sentBy(face, op)) })
  }

  function leave(number: number): void {
    void followed.get(number)?.return?.()
    followed.delete(number)
  }

  send({ type: "hello", id: session.id, version, pid })
  return {
    onMessage(text) {
      const message = decodeToHolder(text)
      switch (message.type) {
        case "submit":
          return void submit(message)
        case "ask":
          return void answer(message)
        case "cancel":
          return asking.get(message.number)?.abort()
        case "events":
          return void follow(message)
        case "leave":
          return leave(message.number)
        case "has_files":
          leaveEditors()
          leaveEditors = editors?.add(files.buffers(message.writes)) ?? leaveEditors
          return undefined
        case "file":
          return files.settle(message)
      }
    },
    onClosed() {
      leaveEditors()
      files.end()
      for (const cancelled of asking.values()) cancelled.abort()
      for (const number of followed.keys()) leave(number)
    },
  }
}

interface RelayedFiles {
  readonly buffers: (writes: boolean) => EditorBuffers
  readonly settle: (answer: ToHolder & { type: "file" }) => void
  readonly end: () => void
}

/** Files as a face in another process has them. Whoever asks waits no longer than their own signal says. */
function openRelayedFiles(send: (message: ToFace) => void): RelayedFiles {
  type FileAnswer = Pick<ToHolder & { type: "file" }, "text" | "taken">
  const waiting = new Map<number, (answer: FileAnswer) => void>()
  let count = 0

  function asked(message: (number: number) => ToFace, signal: AbortSignal): Promise<FileAnswer> {
    const number = ++count
    return new Promise((resolve) => {
      const settle = (answer: FileAnswer): void => {
        waiting.delete(number)
        resolve(answer)
      }
      if (signal.aborted) return resolve({})
      signal.addEventListener("abort", () => settle({}), { once: true })
      waiting.set(number, settle)
      send(message(number))
    })
  }

  return {
    buffers: (writes) => ({
      read: async (path, signal) => (await asked((number) => ({ type: "read_file", number, path }), signal)).text,
      ...(writes && {
        write: async (path, text, signal) =>
          (await asked((number) => ({ type: "write_file", number, path, text }), signal)).taken === true,
      }),
    }),
    settle: ({ number, ...answer }) => waiting.get(number)?.(answer),
    end() {
      for (const settle of waiting.values()) settle({})
    },
  }
}

/** Whose it is: what a face takes back is its own, and faces of one kind call themselves the same. */
function sentBy(from: string, op: Op): Op {
  switch (op.type) {
    case "prompt":
    case "command":
    case "shell":
      return { ...op, from }
    case "withdraw":
      return { ...op, from, by: nameOf(from, op.by) }
    case "interrupt":
      return { ...op, from, ...(op.withdraw !== undefined && { withdraw: nameOf(from, op.withdraw) }) }
    default:
      return op
  }
}

const nameOf = (face: string, by: string): string => `${by}, ${face}`

/** What somebody else took back does not return to this face. */
function asSeenBy(face: string, event: Event): Event {
  if (event.type !== "entry" || event.entry.kind !== "withdrawn") return event
  const { by } = event.entry
  const own = by.endsWith(nameOf(face, "")) ? by.slice(0, -nameOf(face, "").length) : nameOf("another face", by)
  return { ...event, entry: { ...event.entry, by: own } }
}
