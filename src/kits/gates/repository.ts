/** Tells when a command moved branches or tags although nobody was asked: build tools may run git without naming it. */

import { onlyReading } from "#agent/words/boundary.ts"
import type { EntryBody } from "#agent/words/entry.ts"
import { type OnEntry, byKind } from "#agent/words/follower.ts"
import type { Middleware } from "#agent/words/middleware.ts"
import type { Outcome } from "#agent/words/tool.ts"
import { movedNotice, movedWords } from "./words.ts"

export interface RepositoryPorts {
  readonly record: (body: EntryBody) => void
  readonly refs: () => ReadonlyMap<string, string> | undefined
}

export function watchRepository({ record, refs }: RepositoryPorts): {
  readonly middleware: Middleware
  readonly onEntry: OnEntry
} {
  /** Calls that the user has allowed themselves, and so with what they do to the repository. */
  const consented = new Set<string>()
  return {
    onEntry: byKind({
      decision({ behavior, reason, callId }) {
        if (behavior === "allow" && reason.kind === "person") consented.add(callId)
      },
      result: ({ callId }) => void consented.delete(callId),
    }),
    async middleware(call, next) {
      if (onlyReading(call.boundary) || call.footprint.runs.length === 0) return next(call)
      const before = refs()
      const outcome = await next(call)
      const after = before && refs()
      const moved = before && after ? movedBetween(before, after) : []
      if (moved.length === 0 || consented.has(call.callId)) return outcome
      record({ kind: "notice", level: "warning", text: movedNotice(call.tool.title(call.parsed), moved) })
      return withWords(outcome, movedWords(moved))
    },
  }
}

const movedBetween = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name)).toSorted()

function withWords(outcome: Outcome, words: string): Outcome {
  const { content } = outcome
  return {
    ...outcome,
    content:
      typeof content === "string" ? `${content}\n[${words}]` : [...content, { type: "text", text: `[${words}]` }],
  }
}
