/**
 * The memory of a session: a file beside its log, kept up to date by a small model while the work goes on, so that a
 * compaction needs no summary. Never holds what a rule hides: see decision 134.
 */

import { byKind } from "#agent/words/follower.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { AnyBlock, Message } from "#agent/words/message.ts"
import { tokensOfMessages } from "#agent/words/weight.ts"
import { maskSecrets } from "#lib/mask-secrets.ts"
import type { Result } from "#lib/result.ts"
import { type CoveragePorts, openCoverage } from "./coverage.ts"
import { newsIn } from "./render.ts"
import { memoryIn, mostMemoryCharacters, writerSystem, writerUser } from "./words.ts"

export interface SessionMemoryPorts extends CoveragePorts {
  readonly messages: () => readonly Message[]
  readonly isAdded: (block: AnyBlock) => boolean
  readonly contextTokens: () => number
  /** How many tokens the conversation has when it is compacted. */
  readonly limit: () => number
  readonly ask: (
    question: { readonly system: string; readonly user: string },
    signal: AbortSignal,
  ) => Promise<Result<string, string>>
}

export interface UsableMemory {
  readonly text: string
  /** Messages before this one are in it. */
  readonly at: number
}

export interface SessionMemory extends Kit {
  /** Writes in the background if there is enough to write about. */
  readonly consider: () => void
  /** The memory for a compaction, if what it does not cover has at most this many tokens. */
  readonly usable: (mostTokens: number, signal: AbortSignal) => Promise<UsableMemory | undefined>
  /** Removes the memory if a rule was added that it may violate. */
  readonly checkRules: () => void
  readonly isClosed: () => boolean
}

/** Of the tokens at which the conversation is compacted: from where on there is a memory, and how often it is updated. */
const firstShare = 0.5
const stepShare = 0.1
const mostFailures = 3
/** Users may write more than the model. */
const longest = 2 * mostMemoryCharacters

export function sessionMemoryKit(ports: SessionMemoryPorts): SessionMemory {
  const over = new AbortController()
  const coverage = openCoverage(ports)
  let doneTokens = 0
  let failures = 0
  let writing: Promise<void> | undefined

  /** The newest message may still grow, so it is left for the next time. */
  async function update(): Promise<void> {
    const messages = ports.messages()
    const covered = cutBefore(messages, messages.length - 1)
    const begun = coverage.now()
    const news = [
      ...(begun.gap === undefined ? [] : [`A summary of what came first:\n${maskSecrets(begun.gap)}`]),
      newsIn(messages.slice(begun.covered, covered), ports.isAdded),
    ].join("\n\n")
    if (covered <= begun.covered || news.trim() === "") return
    const tip = coverage.last()
    const user = writerUser(maskSecrets(coverage.text()), news)
    const answer = await ports.ask({ system: writerSystem(), user }, over.signal)
    const text = answer.ok ? memoryIn(answer.value) : undefined
    coverage.checkRules()
    // Rewound, compacted or forbidden in the meantime: what was asked is not about this conversation any more.
    if (over.signal.aborted || coverage.now() !== begun) return
    failures = text === undefined ? failures + 1 : 0
    if (text !== undefined && tip !== undefined) coverage.keep(maskSecrets(text), { tip, covered })
  }

  function consider(): void {
    coverage.checkRules()
    if (coverage.now().closed || writing !== undefined || failures >= mostFailures) return
    const limit = ports.limit()
    const now = ports.contextTokens()
    // Less than before: it was compacted, or went back.
    doneTokens = Math.min(doneTokens, now)
    if (now < limit * firstShare || now - doneTokens < limit * stepShare) return
    doneTokens = now
    writing = update().finally(() => void (writing = undefined))
  }

  return {
    name: "session memory",
    checkRules: coverage.checkRules,
    isClosed: () => coverage.now().closed === true,
    consider,
    onEntry: byKind({
      turn_end() {
        if (!ports.isAwake()) return
        coverage.keepRules()
        void Promise.resolve().then(consider)
      },
      compaction: () => void (doneTokens = 0),
      head: () => void (doneTokens = 0),
    }),
    conversation: coverage,
    async usable(mostTokens, signal) {
      await writing
      coverage.checkRules()
      const { covered, gap } = coverage.now()
      const text = coverage.text().trim().slice(0, longest)
      if (signal.aborted || text === "" || gap !== undefined) return undefined
      const messages = ports.messages()
      const at = cutBefore(messages, covered)
      if (at < 1 || at >= messages.length) return undefined
      return tokensOfMessages(messages.slice(at)) <= mostTokens ? { text: maskSecrets(text), at } : undefined
    },
    async close() {
      over.abort()
      await writing
    },
  }
}

/** Before the calls whose results a message begins with. */
const cutBefore = (messages: readonly Message[], at: number): number =>
  messages[at]?.content.some(({ type }) => type === "tool_result") === true ? at - 1 : at
