/** The prefix of a conversation as one run of bytes, so that it is copied in one go, however long it is. */

import type { Message } from "#agent/words/message.ts"
import { isObject } from "#lib/json.ts"

export interface Prefixes<Context> {
  /** The first `count` messages, separated by commas. Valid until the next call. */
  readonly of: (messages: readonly Message[], count: number, context: Context) => Uint8Array
}

interface MessageRun<Context> {
  readonly context: Context
  readonly messages: Message[]
  readonly ends: number[]
  bytes: Uint8Array
}

const comma = 0x2c

/**
 * `write` returns a message as bytes, in any number of parts. A conversation is identified by its first message; it is
 * written again when its context is another, such as that of a model which cannot see pictures.
 */
export function openPrefixes<Context>(
  write: (message: Message, context: Context) => readonly Uint8Array[],
): Prefixes<Context> {
  const runs = new WeakMap<Message, MessageRun<Context>>()
  return {
    of(messages, count, context) {
      const first = messages[0]
      if (first === undefined || count <= 0) return new Uint8Array(0)
      let run = runs.get(first)
      if (!run || !isSame(run.context, context))
        runs.set(first, (run = { context, messages: [], ends: [], bytes: run?.bytes ?? new Uint8Array(4_096) }))
      keep(run, sharedWith(run, messages, count))
      for (const message of messages.slice(run.messages.length, count)) append(run, message, write(message, context))
      return run.bytes.subarray(0, run.ends[count - 1] ?? 0)
    },
  }
}

/** The same value, or the same values in its fields. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (!isObject(one) || !isObject(other)) return false
  const names = Object.keys(one)
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name])
}

/** How many of the first `count` messages the run already has, at the same index. */
function sharedWith(run: MessageRun<unknown>, messages: readonly Message[], count: number): number {
  let shared = 0
  while (shared < count && shared < run.messages.length && run.messages[shared] === messages[shared]) shared++
  // What the run has beyond is kept only when it may still be asked for.
  return shared === count ? run.messages.length : shared
}

function keep(run: MessageRun<unknown>, count: number): void {
  run.messages.length = count
  run.ends.length = count
}

function append(run: MessageRun<unknown>, message: Message, parts: readonly Uint8Array[]): void {
  const start = run.ends.at(-1) ?? 0
  let end = start === 0 ? 0 : start + 1
  let size = end
  for (const part of parts) size += part.length
  if (size > run.bytes.length) {
    const larger = new Uint8Array(size * 2)
    larger.set(run.bytes.subarray(0, start))
    run.bytes = larger
  }
  if (start > 0) run.bytes[start] = comma
  for (const part of parts) {
    run.bytes.set(part, end)
    end += part.length
  }
  run.messages.push(message)
  run.ends.push(end)
}
