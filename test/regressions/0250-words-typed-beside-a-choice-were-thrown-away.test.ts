/** Esc in the field of a choice threw away what was typed there, and Tab left the answer that was pointed at. */

import { describe, expect, test } from "bun:test"
import type { QuestionAsk } from "#agent/words/question.ts"
import { type ChoiceState, choiceShown, openChoice, pressChoice } from "#faces/tui/dialogs/choice.ts"
import type { Key } from "#faces/tui/keys.ts"

type Choice = Extract<QuestionAsk, { readonly kind: "choice" }>

const named = (name: string): Key => ({ kind: "key", name })
const text = (said: string): readonly Key[] => [...said].map((one): Key => ({ kind: "text", text: one }))

function asked(more: Partial<Choice["questions"][number]> = {}): Choice {
  const options = ["SQLite", "Postgres"].map((label) => ({ label, description: "" }))
  return {
    kind: "choice",
    callId: "c",
    questions: [{ question: "Which?", header: "Database", options, multiSelect: false, ...more }],
  }
}

/** The answer, or what is on the screen if there is none. */
function press(ask: Choice, keys: readonly Key[]): unknown {
  let state: ChoiceState = openChoice(ask)
  for (const key of keys) {
    const pressed = pressChoice(state, key)
    if (pressed.kind === "answered") return pressed.answer
    if (pressed.kind === "stays open") state = pressed.state
  }
  const { answers, hint } = choiceShown(state, 80)
  return Bun.stripANSI([...answers, hint].join("\n"))
}

const answer = (said: string) => ({ kind: "choices", answers: { "Which?": said } })

describe("words beside a choice", () => {
  test("go with the answer that is pointed at", () => {
    const keys = [named("down"), named("tab"), ...text("but local"), named("enter")]
    expect(press(asked(), keys)).toEqual(answer("Postgres, but local"))
    expect(press(asked(), [named("tab"), named("enter")])).toEqual(answer("SQLite"))
  })

  test("are still there after Esc, at any answer", () => {
    const typed = [named("tab"), ...text("but local"), named("escape")]
    expect(press(asked(), [...typed, named("down"), named("tab"), named("enter")])).toEqual(
      answer("Postgres, but local"),
    )
    expect(press(asked(), [...typed, named("up"), named("enter"), named("enter")])).toEqual(answer("but local"))
  })

  test("stand for an answer, where a choice and words would mean nothing together", () => {
    const keys = [named("tab"), ...text("7"), named("enter")]
    expect(press(asked({ takes: "an option or words" }), keys)).toEqual(answer("7"))
  })

  test("are not offered where only the options are answers", () => {
    expect(press(asked({ takes: "an option" }), [named("tab")])).toBe(
      "❯ 1. SQLite\n  2. Postgres\nEnter to confirm · Esc to skip",
    )
    expect(press(asked({ takes: "an option" }), [named("up"), named("enter")])).toEqual(answer("Postgres"))
  })

  test("of several checked answers go with all of them", () => {
    const keys = [named("down"), ...text(" "), named("up"), ...text(" "), named("tab"), ...text("x"), named("enter")]
    expect(press(asked({ multiSelect: true }), keys)).toEqual(answer("SQLite, Postgres, x"))
  })
})
