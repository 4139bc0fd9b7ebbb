/** A session as faces see it: ops, the feed and the answers behind one port. */

import { type Answering, answer, type EarlyAnswers } from "#session/adapters/answers.ts"
import { type AgentTree, noAgents } from "#kits/subagents/agent-state.ts"
import type { OpHandler } from "./op-handler.ts"
import type { Driver } from "./drive.ts"
import type { Feed } from "#session/journal/feed.ts"
import type { SessionAbout } from "#session/port/query.ts"
import type { Op } from "#agent/words/op.ts"
import type { JsonObject } from "#lib/json.ts"
import { opsOfSettings } from "#session/port/flag-settings.ts"
import { opFailureWords } from "#session/port/op-failure-words.ts"
import type { HeldSession } from "#session/port/session.ts"
import type { Slash } from "#session/port/command.ts"

export function openPort(parts: {
  readonly id: string
  readonly about: () => SessionAbout
  readonly ops: OpHandler
  readonly driver: Pick<Driver, "settled" | "publishWaiting">
  readonly feed: Pick<Feed, "after" | "last" | "recent">
  readonly seen: EarlyAnswers
  readonly slash: Slash
  /** The id behind a short name. */
  readonly modelNamed: (name: string) => string
  readonly agents: AgentTree | undefined
}): HeldSession {
  const { id, about, ops: handler, feed, seen } = parts
  const named = (op: Op): Op => (op.type === "set_model" ? { ...op, model: parts.modelNamed(op.model) } : op)
  let applied: JsonObject = {}
  const answering: Answering = {
    ...seen,
    about,
    async settled(_, signal) {
      await unlessAborted(parts.driver.settled(), signal)
      return { cursor: feed.last() }
    },
    last_entry: () => ({ cursor: feed.last() }),
    recent: () => ({ cursor: feed.recent() }),
    async apply_settings({ settings }) {
      // Settings validation is large, and seldom needed.
      const { wrongIn } = await import("#ground/settings/check-values.ts")
      const wrong = wrongIn(settings)
      if (wrong.length > 0) return { ignored: [], failures: wrong }
      const { chosen } = await answer(answering, { type: "thinking" })
      const { ops, ignored } = opsOfSettings(settings, applied, chosen)
      applied = { ...applied, ...settings }
      const done = await Promise.all(ops.map((op) => handler.run(named(op))))
      return { ignored, failures: done.flatMap((one) => (one.ok ? [] : [opFailureWords(one.failure)])) }
    },
    command: async ({ name, args }) => (await parts.slash(name, args)) ?? null,
  }
  return {
    id,
    submit: async (op) => handler.run(op),
    events(place) {
      const events = feed.after(place)
      // Nobody has been told what has waited since before a resume.
      parts.driver.publishWaiting()
      return events
    },
    ask: (query, signal) => answer(answering, query, signal),
    close: handler.close,
    atOnce: { say: handler.say, background: seen.background, agents: parts.agents ?? noAgents, opened: about().opened },
  }
}

function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new Error("No longer needed."))
    signal.addEventListener("abort", giveUp, { once: true })
    if (signal.aborted) giveUp()
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp))
  })
}
