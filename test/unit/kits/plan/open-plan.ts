/** A plan kit with everything it needs, in a temporary folder: entries go in a list, questions get the answers given. */

import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { notifyFollowers } from "#agent/words/follower.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { Answer, QuestionAsk } from "#agent/words/question.ts"
import type { AnyTool, Outcome } from "#agent/words/tool.ts"
import { openPlanFiles } from "#ground/transcript/plan-files.ts"
import { planKit, type PlanKit } from "#kits/plan/kit.ts"
import type { PlanPorts } from "#kits/plan/ports.ts"
import type { JsonObject } from "#lib/json.ts"
import { systemIds } from "#lib/ids.ts"
import { type TemporaryFolder, temporaryFolder } from "../../../kit/tmp.ts"

export interface OpenPlan extends Disposable {
  readonly kit: PlanKit
  readonly folder: TemporaryFolder
  readonly entries: readonly Entry[]
  readonly asked: readonly QuestionAsk[]
  readonly record: (body: EntryBody) => Entry
  /** Calls a tool of the kit, as the executor would. */
  readonly call: (name: string, input?: JsonObject) => Promise<Outcome>
  /** What the model is told before the next request; it is in the log then. */
  readonly gather: () => Promise<readonly string[]>
  /** An assistant message went by. */
  readonly answerOnce: () => void
}

export function openPlan(
  given: Partial<PlanPorts> & { readonly answer?: (ask: QuestionAsk) => Answer } = {},
): OpenPlan {
  const folder = temporaryFolder()
  const entries: Entry[] = []
  const asked: QuestionAsk[] = []
  let mode: PermissionMode = "default"
  const record = (body: EntryBody): Entry => {
    const entry: Entry = { ...body, uuid: `e${entries.length}`, parentUuid: entries.at(-1)?.uuid ?? null, at: 0 }
    entries.push(entry)
    if (entry.kind === "mode") mode = entry.mode
    notifyFollowers([kit], entry)
    return entry
  }
  const kit = planKit({
    agent: { kind: "main" },
    mode: () => mode,
    record,
    ask: async (ask) => {
      asked.push(ask)
      return given.answer?.(ask) ?? { kind: "unanswered", why: "nobody is there" }
    },
    files: openPlanFiles({ ids: systemIds }),
    folder: folder.join("plans"),
    root: folder.join("project"),
    ids: systemIds,
    modes: () => ["default", "acceptEdits"],
    canAsk: true,
    canGrant: true,
    agents: () => ({ explore: 3, plan: 1 }),
    enforce: "off",
    ...given,
  })
  record({ kind: "mode", mode })
  return {
    kit,
    folder,
    entries,
    asked,
    record,
    async call(name, input = {}) {
      const tool: AnyTool | undefined = kit.tools?.find((one) => one.name === name)
      if (!tool) throw new Error(`there is no ${name}`)
      const parsed = tool.parse(input)
      if (!parsed.ok) throw new Error(parsed.message)
      return tool.run(parsed.value, { callId: "call", signal: new AbortController().signal, progress: () => {} })
    },
    async gather() {
      const brought = (await kit.attachments?.(new AbortController().signal)) ?? []
      for (const attachment of brought) record({ kind: "attachment", ...attachment })
      return brought.map(({ name, data }) => (data?.reminderType ? `${name} ${String(data.reminderType)}` : name))
    },
    answerOnce: () =>
      void record({
        kind: "reply_end",
        messageId: "m",
        model: "x",
        stopReason: "end_turn",
        usage: { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
        durationMs: 1,
      }),
    [Symbol.dispose]: folder[Symbol.dispose],
  }
}
