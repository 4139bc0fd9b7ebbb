/** The layer around every call that decides, asks if necessary, and records before anything runs. Loaded with the first call. */

import type { Boundary } from "#agent/words/boundary.ts"
import { isReadOnly, runs } from "#agent/words/footprint.ts"
import type { Call, Middleware, Next } from "#agent/words/middleware.ts"
import type { Decision, PermissionMode } from "#agent/words/permission.ts"
import { complained, interrupted, type Outcome } from "#agent/words/tool.ts"
import { declaredWhole } from "./declared-call.ts"
import type { Auto } from "./auto.ts"
import { excludedByCall } from "./excluded-from-undo.ts"
import { isUnasked } from "./hook-answers.ts"
import { type JudgedCall, judgedCall } from "./call.ts"
import { openBeyond } from "./retry-unconfined.ts"
import { withoutUndo } from "./ask.ts"
import { openConclude } from "./conclude.ts"
import { openConsent } from "./consent.ts"
import { risksOf } from "./danger.ts"
import type { Grants } from "./grants.ts"
import { type Judging, openJudging } from "./judging.ts"
import { covering } from "./rules/match.ts"
import type { PermissionPorts } from "./ports.ts"
import { sentence } from "#lib/sentence.ts"
import { interruptedWords } from "./say.ts"

export interface PermissionLayer extends Pick<Judging, "judge"> {
  /** What is known of a call, as decisions see it. */
  readonly judged: (call: Call) => JudgedCall
  readonly middleware: Middleware
  readonly warm: () => void
}

export function openLayer(ports: PermissionPorts, grants: Grants): PermissionLayer {
  const judging = openJudging(ports, grants)
  return {
    judge: judging.judge,
    judged: (call) => judgedCall(judging.toJudge(call)),
    middleware: permissionLayer(ports, grants, judging),
    warm: () => void judging.judge(madeUp, "default"),
  }
}

const restsOnUndo = ({ reason }: Decision): boolean =>
  reason.kind === "sandboxed" || (reason.kind === "mode" && reason.mode === "acceptEdits")

const madeUp = { tool: { name: "Bash" }, input: { command: "echo > a" }, footprint: runs("echo > a") }

function permissionLayer(ports: PermissionPorts, grants: Grants, judging: Judging): Middleware {
  const conclude = openConclude(ports, judging)
  const { judge, rulesInForce, permitted } = judging
  const { record, deny, blocked } = conclude
  const parts = { ports, grants, judging, conclude }
  const consent = openConsent(parts)
  const { byHook, askFor } = consent
  const beyond = openBeyond(parts, consent)

  async function classify(call: Call, decision: Decision, auto: Auto, next: Next): Promise<Outcome> {
    const verdict = await auto.judge(call, rulesInForce())
    if (call.signal.aborted) return interrupted(interruptedWords(call.signal), "before")
    const { kind, why } = verdict
    switch (kind) {
      case "ask": {
        const boundary = verdict.undecided && (await withoutClassifier(call))
        if (boundary) {
          const message = "The classifier gave no answer, but this only changes files here and can be undone."
          record(call, { behavior: "allow", reason: { kind: "mode", mode: "auto" }, message })
          return run(call, boundary, next)
        }
        const undecided = verdict.undecided
          ? `Auto mode could not decide: ${sentence(why)}`
          : `Auto mode leaves this to you: ${sentence(why)}`
        return askFor(
          call,
          { ...decision, undecided, trace: [...decision.trace, `auto: ask, because ${why}`] },
          "auto",
          next,
        )
      }
      case "block":
        return blocked(call, why)
      case "allow": {
        // While the classifier ran, the mode or the rules may have changed.
        const mode = ports.mode()
        const again = judge(call, mode)
        if (again.behavior === "deny") return deny(call, again)
        if (again.behavior === "ask" && (mode !== "auto" || again.reason.kind !== "default"))
          return askFor(call, again, mode, next)
        record(call, {
          behavior: "allow",
          reason: { kind: "classifier", why },
          message: `The classifier let it pass: ${why}`,
        })
        return next(permitted(call, mode))
      }
    }
  }

  /** What accept-edits mode would let run: edits of files inside that can be undone. The mode may have changed meanwhile. */
  async function withoutClassifier(call: Call): Promise<Boundary | undefined> {
    const now = judge(call, ports.mode())
    if (ports.mode() !== "auto" || now.behavior !== "ask" || now.reason.kind !== "default") return undefined
    const decision = judge(call, "acceptEdits")
    if (decision.behavior !== "allow" || (await uncovered(call, decision, "acceptEdits"))) return undefined
    return decision.boundary
  }

  /** A rule of the user's does not rest on undo, except for what destroys something: no rule is wide enough for that. */
  const hasRule = (judged: JudgedCall): boolean =>
    risksOf(judged).length === 0 && covering(rulesInForce(), judged, "default")?.rules[0] !== undefined

  /**
   * A command that changes files runs unasked in accept-edits mode, or in the sandbox, because it can be undone. Where it
   * cannot, it is asked about; a script that nobody watches was told to go on, unless something is destroyed.
   */
  async function uncovered(call: Call, decision: Decision, mode: PermissionMode): Promise<Decision | undefined> {
    const { runs: commands } = call.footprint
    const exclusions = ports.exclusions ?? []
    if (!restsOnUndo(decision) || isReadOnly(call.footprint)) return undefined
    if (exclusions.length === 0 && (!ports.uncovered || commands.length === 0)) return undefined
    const judged = judgedCall(judging.toJudge(call))
    if (
      commands.length > 0 &&
      judged.commands.every(({ analysis }) => analysis.segments.every(({ verdict }) => verdict === "read_only"))
    )
      return undefined
    if (hasRule(judged)) return undefined
    const isWatched = ports.isShown?.(call.callId) ?? true
    if (!isWatched && risksOf(judged).length === 0) return undefined
    const excluded = excludedByCall(judged, exclusions)
    const why =
      excluded === undefined
        ? commands.length > 0 && (await ports.uncovered?.(call.callId, commands.join("\n"), call.signal))
        : `${excluded} is excluded by undo.exclude`
    if (why === undefined || why === false) return undefined
    const message = `What it changes cannot be undone with /rewind: ${why}.`
    const check = `${withoutUndo}: ${why}`
    return {
      behavior: "ask",
      reason: { kind: "tool_check", check },
      message,
      trace: [...decision.trace, `undo: ask, because ${why} (${mode})`],
    }
  }

  /** Whether the question about a call that cannot be undone stands, although this allows the call. */
  const standsWithoutUndo = (call: Call, decision: Decision): boolean =>
    restsOnUndo(decision) && !hasRule(judgedCall(judging.toJudge(call)))

  /** Runs what nobody was asked about. */
  async function run(call: Call, boundary: Boundary, next: Next): Promise<Outcome> {
    const outcome = await next({ ...call, boundary })
    return boundary.by === "judgement" ? beyond.after(call, boundary, outcome, next) : outcome
  }

  return async (originalCall, next) => {
    const known = await judging.prepare(originalCall)
    const mode = ports.mode()
    const call = declaredWhole(originalCall, mode)
    const decision = judge(call, mode, call === originalCall ? known : undefined)
    // The call will fail, so it only matters whether it was denied.
    if (call.complaint !== undefined && decision.behavior !== "deny") return complained(call.complaint)
    switch (decision.behavior) {
      case "allow": {
        const asked = decision.boundary.by === "judgement" ? beyond.askedAgain(call) : undefined
        if (asked)
          return askFor(call, asked, mode, next, (now) => now.behavior === "allow" && now.boundary.by === "judgement")
        const lasting = await uncovered(call, decision, mode)
        if (lasting) return askFor(call, lasting, mode, next, (now) => standsWithoutUndo(call, now))
        record(call, decision)
        return run(call, decision.boundary, next)
      }
      case "deny":
        return (isUnasked(decision) && (await byHook(call, next))) || deny(call, decision)
      case "ask":
        return mode === "auto" && decision.reason.kind === "default" && ports.auto
          ? classify(call, decision, ports.auto, next)
          : askFor(call, decision, mode, next)
    }
  }
}
