/** The prefix of a conversation as one run of bytes, so that it is copied in one go, however long it is. */

import type { Message } from "#agent/words/message.ts"
import type { ToolSpec } from "#agent/words/model.ts"
import { remembered } from "./encoding.ts"

export interface Prefixes<Context> {
  /** The first `count` messages, separated by commas. Valid until the next call. */
  readonly of: (messages: readonly Message[], count: number, context: Context) => Uint8Array
}

interface MessageRun {
  readonly messages: Message[]
  readonly ends: number[]
  bytes: Uint8Array
}

const comma = 0x2c

/** `write` returns a message as bytes, in any number of parts, or none where nothing of it is sent. A conversation is identified by its first message. */
export function openPrefixes<Context>(
  write: (message: Message, context: Context) => readonly Uint8Array[],
): Prefixes<Context> {
  const runs = new WeakMap<Message, MessageRun>()
  return {
    of(messages, count, context) {
      const first = messages[0]
      if (first === undefined || count <= 0) return new Uint8Array(0)
      let run = runs.get(first)
      if (!run) runs.set(first, (run = { messages: [], ends: [], bytes: new Uint8Array(4_096) }))
      keep(run, sharedWith(run, messages, count))
      for (const message of messages.slice(run.messages.length, count)) append(run, message, write(message, context))
      return run.bytes.subarray(0, run.ends[count - 1] ?? 0)
    },
  }
}

export interface ModelPrefixes<Facts> {
  readonly of: (messages: readonly Message[], count: number, tools: readonly ToolSpec[], facts: Facts) => Uint8Array
  /** Messages are written otherwise from now on. */
  readonly clear: () => void
}

/** Messages as each model takes them: another may see no pictures, so each has bytes of its own. */
export function openModelPrefixes<Facts extends object>(
  write: (message: Message, tools: readonly ToolSpec[], facts: Facts) => Uint8Array,
): ModelPrefixes<Facts> {
  let written = new WeakMap<Facts, Prefixes<readonly ToolSpec[]>>()
  const open = (facts: Facts): Prefixes<readonly ToolSpec[]> => {
    const messages = new WeakMap<Message, Uint8Array>()
    return openPrefixes((message, tools) => [remembered(messages, message, () => write(message, tools, facts))])
  }
  return {
    of(messages, count, tools, facts) {
      const prefixes = written.get(facts) ?? open(facts)
      written.set(facts, prefixes)
      return prefixes.of(messages, count, tools)
    },
    clear() {
      written = new WeakMap()
    },
  }
}

/** How many of the first `count` messages the run already has, at the same index. */
function sharedWith(run: MessageRun, messages: readonly Message[], count: number): number {
  let shared = 0
  while (shared < count && shared < run.messages.length && run.messages[shared] === messages[shared]) shared++
  // What the run has beyond is kept only when it may still be asked for.
  return shared === count ? run.messages.length : shared
}

function keep(run: MessageRun, count: number): void {
  run.messages.length = count
  run.ends.length = count
}

function append(run: MessageRun, message: Message, parts: readonly Uint8Array[]): void {
  const start = run.ends.at(-1) ?? 0
  const isEmpty = parts.every(({ length }) => length === 0)
  let end = start === 0 || isEmpty ? start : start + 1
  let size = end
  for (const part of parts) size += part.length
  if (size > run.bytes.length) {
    const larger = new Uint8Array(size * 2)
    larger.set(run.bytes.subarray(0, start))
    run.bytes = larger
  }
  if (end > start) run.bytes[start] = comma
  for (const part of parts) {
    run.bytes.set(part, end)
    end += part.length
  }
  run.messages.push(message)
  run.ends.push(end)
}
