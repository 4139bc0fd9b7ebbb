/** What the compaction kit needs from a session: the model, the ledger, the files and the current state. */

import type { Entry, EntryBody } from "#agent/words/entry.ts"
import type { Moment } from "#agent/words/event.ts"
import type { Attachment } from "#agent/words/kit.ts"
import type { Request } from "#agent/words/model.ts"
import { noUsage } from "#agent/words/model.ts"
import { askedResultPath } from "#ground/transcript/asked-results.ts"
import { keepResult } from "#ground/transcript/keep.ts"
import type { Ledger } from "#kits/budget/ledger.ts"
import type { CompactionHooks, CompactPorts } from "#kits/compaction/compact.ts"
import { type Compaction, compactionKit } from "#kits/compaction/kit.ts"
import type { Reserved } from "#kits/compaction/summarize.ts"
import type { Conversation } from "#kits/context/assemble.ts"
import { tokensName } from "#kits/context/usage.ts"
import type { UserContext } from "#kits/context/user-context.ts"
import { optional } from "#lib/optional.ts"
import { ok, type Result } from "#lib/result.ts"
import type { Ground } from "./ground.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import type { Preparation } from "#session/request/prepare.ts"
import type { SessionState } from "#agent/words/state.ts"
import type { Standing } from "#session/journal/standing.ts"
import { spentAside } from "#session/journal/state.ts"

export interface CompactingParts extends Pick<SessionOptions, "compaction" | "model" | "clock"> {
  readonly ground: Ground
  readonly conversation: Conversation
  readonly preparation: Pick<Preparation, "ordinary" | "fixedTokens" | "noteSummary" | "meter">
  readonly ledger: Ledger
  readonly state: () => SessionState
  readonly standing: Pick<Standing, "bodies" | "todos" | "plan">
  /** The state according to the log, ignoring what a command sets for one turn. */
  readonly logged: () => SessionState
  readonly context: Pick<UserContext, "texts" | "isGiven">
  readonly extras?: (() => readonly Attachment[]) | undefined
  readonly transcript: string | undefined
  readonly agents: () => readonly { readonly id: string; readonly what: string }[]
  readonly hooks?: CompactionHooks | undefined
  readonly memory?: CompactPorts["memory"]
  readonly mayPrepare: () => boolean
  readonly isAwake: () => boolean
  readonly record: (body: EntryBody) => Entry
  readonly publish: (moment: Moment) => void
}

/** A shorter summary would be cut off, and then it is paid for in vain. */
const leastSummary = 8_000

export function openCompacting(parts: CompactingParts): Compaction {
  const { ground, ledger, state, record, preparation } = parts
  const { workspace, sessionFolder } = ground

  const reserveFor =
    (who: string) =>
    async (request: Request, inputTokens: number): Promise<Result<Reserved, string>> => {
      const { model, maxTokens: maxOutput } = request
      const leastOutput = Math.min(maxOutput, leastSummary)
      const reserved = await ledger.reserve({ who, model, inputTokens, maxOutput, leastOutput })
      if (!reserved.ok) return { ok: false, failure: reserved.failure.message }
      return ok({
        maxOutput: reserved.value.maxOutput,
        settle(usage) {
          const costUsd = reserved.value.settle(usage) ?? 0
          // The summary is not an answer in the conversation, but it was paid for.
          if (usage !== noUsage) record(spentAside(state(), { who, model, usage, costUsd }))
        },
      })
    }

  return compactionKit({
    choice: parts.compaction ?? { when: "auto", trigger: { kind: "formula" } },
    window: () => parts.model.factsOf(state().model),
    model: parts.model.port,
    reserve: reserveFor("compaction"),
    reserveAhead: reserveFor("background compaction"),
    mayPrepare: parts.mayPrepare,
    isAwake: parts.isAwake,
    sent: preparation.noteSummary,
    retrying: (retry) => parts.publish({ type: "retry_wait", retry }),
    messages: parts.conversation.messages,
    ordinary: preparation.ordinary,
    fixedTokens: preparation.fixedTokens,
    contextTokens: () => preparation.meter.next().tokens,
    async keep(callId, text) {
      const asked = parts.transcript === `${sessionFolder}.jsonl` ? askedResultPath(sessionFolder, callId) : undefined
      return asked === undefined ? keepResult(sessionFolder, callId, text, "absent") : ok(asked)
    },
    files: workspace.files,
    stamps: workspace.stamps,
    paths: workspace.paths,
    context: parts.context.texts,
    sourceOf: parts.conversation.sourceOf,
    isContext: parts.context.isGiven,
    isAboutFullness: (name) => name === tokensName,
    running: () => [
      ...workspace.background
        .list()
        .filter(({ status }) => status === "running")
        .map(({ id, command, file }) => ({
          id,
          what: `${command}${file === undefined ? "" : ` (its output is in ${file})`}`,
        })),
      ...parts.agents(),
    ],
    standing: () => parts.standing.bodies(parts.logged()),
    todos: parts.standing.todos,
    plan: parts.standing.plan,
    ...optional("extras", parts.extras),
    transcript: parts.transcript,
    ...optional("hooks", parts.hooks),
    ...optional("memory", parts.memory),
    record,
    report: (moment) => parts.publish({ type: "chore", name: "compact", running: moment === "begins" }),
    clock: parts.clock,
  })
}
