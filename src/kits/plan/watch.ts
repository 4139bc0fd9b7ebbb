/** The layer that watches an approved plan: what is outside of it is announced once, or asked about once. */

import { onlyReading } from "#agent/words/boundary.ts"
import { interrupterOf } from "#agent/words/interruption.ts"
import type { Call, Middleware, Next } from "#agent/words/middleware.ts"
import type { Answer } from "#agent/words/question.ts"
import { interrupted, type Outcome, refused } from "#agent/words/tool.ts"
import { outsidePlan, type PlanItem } from "./contract.ts"
import type { PlanExtract } from "#agent/words/plan-extract.ts"
import type { PlanPorts } from "./ports.ts"
import type { Progress } from "./progress.ts"

export interface WatchPorts extends Pick<PlanPorts, "ask" | "addWords" | "record" | "enforce" | "root"> {
  /** The scope of the plan being carried out; undefined if there is none, or it names nothing. */
  readonly scope: () => PlanExtract | undefined
  readonly progress: () => Progress
  /** Remembers the announcement until the model was told. */
  readonly announce: (items: readonly string[]) => void
  readonly planPath: () => string | undefined
}

export function planWatch(ports: WatchPorts): Middleware {
  /** Being asked about or just announced, before any entry says so. */
  const known = new Set<string>()
  let watched: PlanExtract | undefined

  return (call, next) => {
    const scope = ports.enforce === "off" || onlyReading(call.boundary) ? undefined : ports.scope()
    if (!scope) return next(call)
    // What was accepted outside one plan was not accepted outside the next.
    if (scope !== watched) known.clear()
    watched = scope
    const { announced, consented } = ports.progress()
    const outside = outsidePlan(scope, touched(call), ports.root).filter(
      (item) => !announced.includes(textOf(item)) && !known.has(textOf(item)),
    )
    if (outside.length === 0) return next(call)
    // The user just approved this very call, and need not be asked again.
    if (ports.enforce === "pause" && !consented.includes(call.callId)) return pause(call, outside, next)
    announce(outside)
    return next(call)
  }

  function touched({ footprint }: Call): { readonly writes: readonly string[]; readonly commands: readonly string[] } {
    return { writes: footprint.writes.filter((path) => path !== ports.planPath()), commands: footprint.runs }
  }

  function announce(items: readonly PlanItem[]): void {
    const texts = items.map(textOf)
    for (const text of texts) known.add(text)
    ports.record({ kind: "notice", level: "warning", text: `Outside the approved plan: ${texts.join(", ")}.` })
    ports.announce(texts)
  }

  async function pause(call: Call, items: readonly PlanItem[], next: Next): Promise<Outcome> {
    const { callId, tool, input, footprint, signal } = call
    const message = `The approved plan does not name ${items.map(textOf).join(", ")}.`
    const answer = await ports.ask(
      {
        kind: "permission",
        callId,
        tool: tool.name,
        title: tool.title(call.parsed),
        question: `Leave the plan for this: ${tool.title(call.parsed)}?`,
        input,
        footprint,
        decision: {
          behavior: "ask",
          reason: { kind: "tool_check", check: "it is outside the approved plan" },
          message,
          trace: [`plan: ask, because ${message}`],
        },
        why: message,
      },
      signal,
    )
    if (signal.aborted)
      return interrupted(`Interrupted by ${interrupterOf(signal)} before it was permitted. Nothing was done.`, "before")
    return settled(call, items, answer, next)
  }

  function settled(call: Call, items: readonly PlanItem[], answer: Answer, next: Next): Promise<Outcome> | Outcome {
    switch (answer.kind) {
      case "allow":
        // Another input would be another call, which nobody has judged.
        if (answer.updatedInput !== undefined)
          return refused(
            "The call was not made: its input was changed while the plan was asked about. Make the call again as the user wants it.",
          )
        announce(items)
        ports.addWords?.(call.callId, answer.words)
        return next(call)
      case "deny": {
        const words = answer.words?.trim()
        return refused(
          words
            ? `The user wants to keep to the plan and says: ${words}`
            : "The user wants to keep to the approved plan, which does not name this. Nothing was done. Wait for what they say next.",
          { denied: true, ...((answer.interrupt || !words) && { rejected: true }) },
        )
      }
      case "choices":
      case "approve":
      case "elicited":
      case "unanswered":
        return refused(
          `Not permitted: the approved plan does not name ${items.map(textOf).join(", ")}, and nobody can be asked. Keep to the plan, or end by saying what it lacks.`,
          { denied: true },
        )
    }
  }
}

const textOf = ({ kind, name }: PlanItem): string => (kind === "file" ? name : `the command \`${name}\``)
