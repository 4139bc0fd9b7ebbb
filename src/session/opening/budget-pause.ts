/** A turn that reaches its budget waits until the budget is raised, or ends. */

import type { Budget } from "#agent/words/budget.ts"
import type { EntryBody } from "#agent/words/entry.ts"
import { type OnEntry, byKind } from "#agent/words/follower.ts"
import { type Answer, type Answerer, ownCall, type QuestionAsk, withdrawnAs } from "#agent/words/question.ts"
import { budgetText, readBudget } from "#kits/budget/amount.ts"
import type { BudgetRefusal } from "#kits/budget/ledger.ts"

/** `again`: the budget was changed, so the request may fit now. */
export type OverBudget = (refusal: BudgetRefusal, signal: AbortSignal) => Promise<"again" | "stop">

export interface BudgetPause {
  readonly overBudget: OverBudget
  readonly onEntry: OnEntry
}

type Raisable = Exclude<BudgetRefusal, { readonly kind: "agent_cap" }>

interface BudgetPauseParts {
  readonly asks: Answerer
  readonly ask: (ask: QuestionAsk, signal: AbortSignal) => Promise<Answer>
  readonly record: (body: EntryBody) => void
}

export function openBudgetPause({ asks, ask, record }: BudgetPauseParts): BudgetPause {
  /** All agents at the budget wait for the same answer. */
  let open: { readonly answered: Promise<"again" | "stop">; readonly withdraw: (why: string) => void } | undefined
  let waiters = 0

  function begin(refusal: Raisable): NonNullable<typeof open> {
    const controller = new AbortController()
    let isRaised = false
    const asked = async (note?: string): Promise<"again" | "stop"> => {
      const answer = await ask(questionOf(refusal, note), controller.signal)
      if (isRaised) return "again"
      const said = answer.kind === "choices" ? Object.values(answer.answers)[0] : undefined
      if (said === undefined || said === stop) return "stop"
      const read = readBudget(said.replace(/^Raise to /, ""))
      if (!read.ok) return asked(read.failure)
      record({ kind: "budget", budget: read.value })
      return "again"
    }
    return {
      answered: asked().finally(() => (open = undefined)),
      withdraw(why) {
        isRaised = why === raisedWords
        controller.abort(withdrawnAs(why))
      },
    }
  }

  return {
    async overBudget(refusal, signal) {
      if (asks !== "person" || refusal.kind === "agent_cap") return "stop"
      open ??= begin(refusal)
      const mine = open
      waiters++
      const decision = await Promise.race([mine.answered, aborted(signal)])
      waiters--
      if (signal.aborted && waiters === 0) mine.withdraw("Interrupted.")
      return decision
    },
    onEntry: byKind({ budget: () => open?.withdraw(raisedWords) }),
  }
}

const raisedWords = "The budget was changed."
const stop = "Stop here"

const aborted = (signal: AbortSignal): Promise<"stop"> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve("stop")
    else signal.addEventListener("abort", () => resolve("stop"), { once: true })
  })

const questionOf = (refusal: Raisable, note: string | undefined): QuestionAsk => ({
  kind: "choice",
  callId: ownCall("budget"),
  questions: [
    {
      header: "Budget",
      question: [
        ...(note === undefined ? [] : [note]),
        refusal.message.replace(/ (?:Raise it with|Set a budget) .*$/, ""),
        "Raise the budget?",
      ].join(" "),
      options: [
        ...raises(refusal).map((budget) => ({
          label: `Raise to ${budgetText(budget)}`,
          description: "Continue the turn",
        })),
        { label: "No limit", description: "Continue without a budget" },
        { label: stop, description: "End the turn" },
      ],
      multiSelect: false,
      takes: "an option or words",
    },
  ],
})

function raises(refusal: Raisable): readonly Budget[] {
  if (refusal.kind === "no_price") return [{ tokens: 500_000 }, { tokens: 2_000_000 }]
  const { usd, tokens } = refusal.enough
  if (usd !== undefined)
    return [
      { ...refusal.enough, usd: round(usd * 1.5) },
      { ...refusal.enough, usd: round(usd * 4) },
    ]
  return [{ tokens: round(tokens ?? 0) * 2 }, { tokens: round(tokens ?? 0) * 5 }]
}

/** The next 1, 2 or 5 followed by zeros. */
function round(amount: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(amount, 0.01)))
  return [1, 2, 5, 10].map((step) => Number((step * power).toPrecision(1))).find((step) => step >= amount) ?? 10 * power
}
