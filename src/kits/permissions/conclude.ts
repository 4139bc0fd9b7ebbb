/** How a call ends here: the decision is recorded, and the model is told if the call does not run. */

import type { Display } from "#agent/words/display.ts"
import type { Call } from "#agent/words/middleware.ts"
import type { Decision, PermissionMode } from "#agent/words/permission.ts"
import type { Answer } from "#agent/words/question.ts"
import { type Outcome, refused } from "#agent/words/tool.ts"
import { judgedCall } from "./call.ts"
import { closedGate } from "./gates.ts"
import type { Judging } from "./judging.ts"
import { leaving } from "./leaving.ts"
import type { PermissionPorts } from "./ports.ts"
import { blockedWords, declinedWords, describeAction, deniedWords, unansweredWords } from "./say.ts"
import { suggestRule } from "./rules/suggest.ts"

export type Concluded = Pick<Decision, "behavior" | "reason" | "message">

export interface Conclude {
  readonly record: (call: Call, concluded: Concluded) => void
  readonly deny: (call: Call, decision: Concluded) => Outcome
  readonly blocked: (call: Call, why: string) => Outcome
  /** `display` is what the user declined. */
  readonly declined: (call: Call, answer: Answer & { kind: "deny" }, display?: Display) => Outcome
  readonly unanswered: (call: Call, why: string, mode: PermissionMode) => Outcome
}

const isDifference = (display: Display | undefined): display is Display =>
  display?.kind === "diff" || display?.kind === "diffs"

export function openConclude(
  ports: Pick<PermissionPorts, "record">,
  { toJudge, rulesInForce }: Pick<Judging, "toJudge" | "rulesInForce">,
): Conclude {
  function record(call: Call, { behavior, reason, message }: Concluded): void {
    ports.record({ kind: "decision", callId: call.callId, tool: call.tool.name, behavior, reason, message })
    if (behavior === "allow") call.tool.allowed?.(reason, call.parsed)
  }

  function deny(call: Call, decision: Concluded): Outcome {
    record(call, decision)
    // A gate opens later, so the same call may be right then.
    const words = decision.reason === closedGate ? `Not yet. ${decision.message}` : deniedWords(decision.message)
    return refused(words, { denied: true })
  }

  function blocked(call: Call, why: string): Outcome {
    record(call, { behavior: "deny", reason: { kind: "classifier", why }, message: blockedWords(why) })
    return refused(blockedWords(why), { denied: true })
  }

  function declined(call: Call, { words, interrupt }: Answer & { kind: "deny" }, display?: Display): Outcome {
    const said = words?.trim()
    const message = declinedWords(said)
    record(call, { behavior: "deny", reason: { kind: "person" }, message })
    return refused(message, {
      denied: true,
      ...((interrupt || !said) && { rejected: true }),
      ...(isDifference(display) && { display }),
    })
  }

  function unanswered(call: Call, why: string, mode: PermissionMode): Outcome {
    const about = judgedCall(toJudge(call))
    const changed = call.tool.changed?.(call.parsed)
    // No rule is suggested where none would have helped.
    const rule = changed === undefined ? suggestRule(about, rulesInForce(), mode) : undefined
    const could =
      leaving(about) === "asks"
        ? "name it in sandbox.excludedCommands"
        : rule === undefined
          ? "allow it in the settings"
          : `allow it with the rule ${rule} in permissions.allow`
    const message = `${unansweredWords(call.tool.name, describeAction(about), why, could)}${changed === undefined ? "" : ` ${changed}`}`
    record(call, { behavior: "deny", reason: { kind: "no_one_to_ask" }, message })
    return refused(message, { denied: true })
  }

  return { record, deny, blocked, declined, unanswered }
}
