/** Plays a script to its end, and says what the model was given back after each of its answers. */

import { expect, setDefaultTimeout } from "bun:test"
import type { Display } from "#agent/words/display.ts"
import type { AssistantBlock, Message, UserBlock } from "#agent/words/message.ts"
import type { TestSession } from "../../kit/open-test-session.ts"

// A busy machine is no failure.
setDefaultTimeout(300_000)

/** What a model is given back: a result's text, an error's text, another block of the message, or the blocks of a result. */
export type Given =
  string | { readonly error: string } | { readonly added: string } | { readonly blocks: readonly unknown[] }

/** Lets the script run to its end: the turn completes, no request was refused, and each reply was asked for. */
export async function play(t: TestSession, prompt = "go"): Promise<void> {
  expect(await t.prompt(prompt)).toEqual({ reason: "completed" })
  const { refusals, repliesAfterEnd } = t.simulator.stats()
  expect({ refusals, repliesAfterEnd }).toEqual({ refusals: 0, repliesAfterEnd: 0 })
}

/** For each request of the main model after its first: all that its last message holds. The project's folder is written `/p`. */
export function given(t: TestSession): readonly (readonly Given[])[] {
  const requests = t.requests().filter((_, index) => modelOf(t, index) === modelOf(t, 0))
  return requests.slice(1).map((messages) => givenIn(messages, t.root))
}

function modelOf(t: TestSession, index: number): unknown {
  return (t.simulator.requests[index]?.body as { readonly model?: string } | undefined)?.model
}

function givenIn(messages: readonly Message[], root: string): readonly Given[] {
  const content = messages.at(-1)?.content ?? []
  const called = (messages.at(-2)?.content ?? []).flatMap((block) => (block.type === "tool_use" ? [block.id] : []))
  // Each call is answered once, in the order of the calls.
  expect(content.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []))).toEqual(called)
  return content.map((block) => givenBy(block, root))
}

function givenBy(block: AssistantBlock | UserBlock, root: string): Given {
  if (block.type === "text") return { added: short(block.text, root) }
  if (block.type !== "tool_result") return { blocks: [block] }
  if (typeof block.content !== "string") return { blocks: block.content }
  const text = short(block.content, root)
  return block.is_error === true ? { error: text } : text
}

const short = (text: string, root: string): string => text.replaceAll(root, "/p")

/** How each result wishes to be shown, in order; the project's folder is written `/p`. */
export function displays(t: TestSession): readonly (Display | undefined)[] {
  return t.results().map(({ display }) => display && (JSON.parse(short(JSON.stringify(display), t.root)) as Display))
}
