/** Brings the plan before the person; with their consent the work begins. */

import { defineTool } from "#agent/words/define-tool.ts"
import { touchesNothing } from "#agent/words/footprint.ts"
import { type PermissionMode, permissionModes } from "#agent/words/permission.ts"
import type { Answer } from "#agent/words/question.ts"
import { interrupted, type AnyTool, answered, type Outcome, refused } from "#agent/words/tool.ts"
import { ok } from "#lib/result.ts"
import * as shape from "#lib/shape.ts"
import {
  approvedWords,
  declinedWords,
  freshWords,
  missingWords,
  notPlanningWords,
  preview,
  subApprovedWords,
  tooLongWords,
  unansweredWords,
  unwrittenWords,
} from "./exit-words.ts"
import { digestOf, keepExtract } from "./file.ts"
import { findMeaning } from "./meanings.ts"
import type { NamedPlan } from "./phase.ts"
import type { Meaning, PlanPorts } from "./ports.ts"

/** Characters of a plan, at most. */
const longestPlan = 100_000

const description = `Asks the user to approve your plan and so ends plan mode. The plan is read from the plan file, not from this call: write it there first.
Use it when the plan for an implementation is complete and unambiguous; settle open questions with AskUserQuestion before. Do not use it after pure research, where nothing will be implemented. Never ask in text or with AskUserQuestion whether the plan is all right: this call asks exactly that.
allowedPrompts may name kinds of commands that the plan needs, by meaning ("run tests", "install dependencies", "build", "lint"), so that they need no question each time. Ask only for what the plan needs.`

type ExitPorts = Omit<PlanPorts, "agent"> & {
  readonly agent: "main" | "sub"
  /** The plan of this agent, named by now. */
  readonly plan: () => NamedPlan
  readonly modeBefore: () => PermissionMode
}

interface Wish {
  readonly prompt: string
  readonly meaning: Meaning | undefined
}

export function exitPlanTool(ports: ExitPorts): AnyTool {
  const { agent, files, record } = ports
  return defineTool({
    name: "ExitPlanMode",
    description,
    input: shape.object({
      allowedPrompts: shape
        .array(
          shape.object({
            tool: shape.choice(["Bash"]),
            prompt: shape.string().trim().min(1).describe("What kind of command, by meaning"),
          }),
        )
        .optional(),
    }),
    title: () => "Present the plan",
    footprint: () => ({ ...touchesNothing(), asks: true }),
    // The words around the plan are short.
    maxResultChars: longestPlan + 5_000,
    async run({ allowedPrompts = [] }, { callId, signal }) {
      if (ports.mode() !== "plan") return refused(notPlanningWords)
      const plan = ports.plan()
      const text = files.read(plan.path)
      if (!text.ok) return refused(`The plan could not be read: ${text.failure} Write it anew to ${plan.path}.`)
      if (text.value === undefined) return refused(missingWords(plan.path))
      if (text.value.length > longestPlan) return refused(tooLongWords(plan.path, text.value.length, longestPlan))
      // Whoever decides may want it in parts, and may decide elsewhere.
      extract(plan, text.value)
      const wishes = await Promise.all(
        [...new Set(allowedPrompts.map(({ prompt }) => prompt))].map((prompt) => wishFor(prompt, signal)),
      )
      const answer = await ports.ask(
        {
          kind: "plan",
          callId,
          plan: text.value,
          path: plan.path,
          modes: modesOffered(),
          wishes: wishes.map(({ prompt, meaning }) => ({ prompt, ...(meaning && { covers: meaning.covers }) })),
        },
        signal,
      )
      if (signal.aborted)
        return interrupted("Interrupted by the user before the plan was decided on. Plan mode is still on.", "before")
      switch (answer.kind) {
        case "approve":
          return approved(plan, text.value, wishes, answer)
        case "deny":
          return declined(plan, text.value, answer)
        case "allow":
        case "elicited":
        case "choices":
          return refused(unansweredWords(plan.path, "the answer was to another question"))
        case "unanswered":
          return unanswered(callId, unansweredWords(plan.path, answer.why))
      }
    },
  })

  function extract(plan: NamedPlan, text: string): void {
    const kept = keepExtract(files, plan, text)
    if (!kept.ok)
      record({ kind: "notice", level: "warning", text: `The plan's list of files was not kept: ${kept.failure}` })
  }

  /** Like any permission that nobody could give. */
  function unanswered(callId: string, message: string): Outcome {
    const reason = { kind: "no_one_to_ask" } as const
    record({ kind: "decision", callId, tool: "ExitPlanMode", behavior: "deny", reason, message })
    return refused(message, { denied: true })
  }

  /** The mode from before planning first, then from the most careful to the freest. */
  function modesOffered(): readonly PermissionMode[] {
    const before = ports.modeBefore()
    const available = ports.modes()
    const isOffered = (mode: PermissionMode): boolean =>
      available.includes(mode) || (mode === before && mode !== "bypassPermissions")
    const offered = permissionModes.filter((mode) => mode !== "plan" && isOffered(mode))
    return [...new Set([...offered.filter((mode) => mode === before), ...offered])]
  }

  async function wishFor(prompt: string, signal: AbortSignal): Promise<Wish> {
    if (!ports.canGrant || agent === "sub") return { prompt, meaning: undefined }
    const known = findMeaning(prompt)
    // Whoever did not let a model judge before planning does not let one judge this either.
    if (known || ports.modeBefore() !== "auto") return { prompt, meaning: known }
    return { prompt, meaning: await ports.classify?.(prompt, signal) }
  }

  function approved(
    plan: NamedPlan,
    shown: string,
    wishes: readonly Wish[],
    answer: Answer & { kind: "approve" },
  ): Outcome {
    const text = answer.plan ?? shown
    if (text.length > longestPlan) return refused(tooLongWords(plan.path, text.length, longestPlan))
    // The person may have changed it, or someone else the file meanwhile: what was approved is what lies there from here on.
    const now = files.read(plan.path)
    const written = now.ok && now.value === text ? ok(undefined) : files.write(plan.path, text)
    if (!written.ok) return refused(unwrittenWords(written.failure))
    extract(plan, text)
    record({ kind: "plan", change: "approved", ...plan, digest: digestOf(text) })
    const data = { plan: text, filePath: plan.path, isAgent: agent === "sub" }
    // A subagent works in the mode of its session, which only the session's own plan changes.
    if (agent === "sub") return answered(subApprovedWords, { data })
    for (const rule of rulesOf(wishes, answer.wishes)) record({ kind: "grant", rule, destination: "session" })
    record({ kind: "mode", mode: modeFor(answer.mode) })
    const fresh = answer.fresh === true && ports.startFresh !== undefined
    if (fresh) ports.startFresh?.(text)
    const granted = wishes.flatMap(({ prompt, meaning }) => (meaning && answer.wishes.includes(prompt) ? [prompt] : []))
    return answered(fresh ? freshWords : approvedWords({ text, path: plan.path, edited: text !== shown, granted }), {
      data,
      display: { kind: "text", text: `The plan was approved: ${plan.path} (/plan to edit)` },
    })
  }

  /** A mode that was not offered is not given: work goes on in the one that asks. */
  function modeFor(picked: PermissionMode): PermissionMode {
    if (modesOffered().includes(picked)) return picked
    record({
      kind: "notice",
      level: "warning",
      text: `The mode ${picked} cannot be gone on in here, so the work goes on in the mode default.`,
    })
    return "default"
  }

  function declined(plan: NamedPlan, shown: string, answer: Answer & { kind: "deny" }): Outcome {
    const { words, interrupt } = answer
    const text = keptChange(plan, answer.plan) ? (answer.plan ?? shown) : shown
    record({ kind: "plan", change: "rejected", ...plan })
    const said = words?.trim()
    return refused(declinedWords(said, { path: plan.path, edited: text !== shown }), {
      ...((interrupt || !said) && { rejected: true }),
      display: {
        kind: "text",
        text: said
          ? `The plan was not approved: ${said}\n${preview(text)}`
          : `The plan was declined.\n${preview(text)}`,
      },
    })
  }

  /** What the person changed in the plan is in its file from here on; whether anything is. */
  function keptChange({ path }: NamedPlan, text: string | undefined): boolean {
    if (text === undefined) return false
    const written = files.write(path, text)
    if (!written.ok)
      record({
        kind: "notice",
        level: "warning",
        text: `What you changed in the plan was not kept: ${written.failure}`,
      })
    return written.ok
  }
}

/** The rules behind the wishes that were granted; a wish that was not made grants nothing. */
const rulesOf = (wishes: readonly Wish[], granted: readonly string[]): readonly string[] => [
  ...new Set(wishes.flatMap(({ prompt, meaning }) => (granted.includes(prompt) ? (meaning?.rules ?? []) : []))),
]
