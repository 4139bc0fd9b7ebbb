/** Records every request before it is sent: what it begins with once, and a digest of its messages each time. See decision 20. */

import type { EntryBody, SummaryAsk } from "#agent/words/entry.ts"
import { byKind, type ConversationFollower } from "#agent/words/follower.ts"
import type { Message } from "#agent/words/message.ts"
import type { Request } from "#agent/words/model.ts"
import type { Thinking } from "#agent/words/thinking.ts"
import { optional } from "#lib/optional.ts"
import { digestOfText, type Setups, type SetupValue } from "./setups.ts"

/** Notices what is in the log already, so that it is not written again. */
export interface RequestRecord extends ConversationFollower {
  readonly note: (request: Request, summary?: SummaryAsk) => void
}

export function openRequestRecord(
  record: (body: EntryBody) => void,
  providerOf: (model: string) => string,
  { isSame }: Pick<Setups, "isSame">,
): RequestRecord {
  const digests = openDigests()
  let known: SetupValue | undefined
  const forget = (): void => void (known = undefined)

  return {
    onEntry: byKind({
      setup: ({ system, tools }) => void (known = { system, tools }),
      // Whoever starts reading here must find it here, even if unchanged.
      compaction: forget,
    }),
    reset: forget,
    note({ model, system, tools, messages, maxTokens, thinking, delivery }, summary) {
      if (!known || !isSame(known, { system, tools })) record({ kind: "setup", system, tools })
      record({
        kind: "request",
        model,
        provider: providerOf(model),
        messages: messages.length,
        digest: digests.of(messages),
        maxTokens,
        thinking: thinkingNote(thinking),
        delivery,
        ...optional("summary", summary),
      })
    },
  }
}

function thinkingNote({ type, effort, tokens }: Thinking): string {
  const much = effort === undefined ? (tokens === undefined ? [] : [`${tokens} tokens`]) : [`${effort} effort`]
  return (type === "off" ? ["off", ...(effort === undefined ? [] : much)] : much.length > 0 ? much : [type]).join(", ")
}

export interface Digests {
  readonly of: (messages: readonly Message[]) => string
}

/** Messages keep their identity between requests, so each is serialized once; a digest extends that of the previous messages, so a request costs only what it added. */
export function openDigests(): Digests {
  const known = new WeakMap<Message, string>()
  let last: readonly Message[] = []
  let digests: string[] = []
  const one = (message: Message): string => {
    const digest = known.get(message) ?? digestOf(digested(message))
    known.set(message, digest)
    return digest
  }
  return {
    of(messages) {
      digests = digests.slice(0, commonBeginning(last, messages))
      for (const message of messages.slice(digests.length)) digests.push(digestOf([digests.at(-1) ?? "", one(message)]))
      last = messages
      return digests.at(-1) ?? digestOf([])
    },
  }
}

/** Messages in the original digest format: without their author, and with the first provider's proof under its own name. */
function digested(message: Message): object {
  const { role, content } = message
  if (role === "user") return { role, content }
  return {
    role,
    content: content.map((block) => {
      if ((block.type !== "thinking" && block.type !== "redacted_thinking") || block.proof?.by !== "anthropic")
        return block
      const { proof, ...rest } = block
      return { ...rest, [block.type === "thinking" ? "signature" : "data"]: proof.value }
    }),
  }
}

/** How many leading items are identical objects in both. */
export function commonBeginning<T>(a: readonly T[], b: readonly T[]): number {
  const most = Math.min(a.length, b.length)
  let same = 0
  while (same < most && a[same] === b[same]) same++
  return same
}

const digestOf = (value: unknown): string => digestOfText(JSON.stringify(value))
