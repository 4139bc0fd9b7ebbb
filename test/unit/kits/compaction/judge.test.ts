/** What is taken for a summary, and what is not. */

import { expect, test } from "bun:test"
import { complaintAbout } from "#kits/compaction/judge.ts"

const source = {
  text: "The user asked to add a login route to server.ts and to keep the tests green. Edit server.ts, run bun test.",
  tokens: 500,
}
const complaint = (text: string, stopReason = "end_turn") => complaintAbout({ text, stopReason }, source)

test("plain prose about the conversation will do, in any script", () => {
  expect(
    complaint("The user wants a login route in server.ts; the route is written and the tests are green."),
  ).toBeUndefined()
  const german = { text: "Bitte füge eine Anmeldung in server.ts hinzu, alle Prüfungen müssen bestehen.", tokens: 300 }
  const summary = "Der Nutzer möchte eine Anmeldung in server.ts; die Prüfungen müssen weiter bestehen bleiben."
  expect(complaintAbout({ text: summary, stopReason: "end_turn" }, german)).toBeUndefined()
  const japanese = { text: "サーバーにログイン機能を追加してください。テストも必要です。", tokens: 300 }
  const short = "利用者はサーバーにログイン機能を追加したい。テストも必要。"
  expect(complaintAbout({ text: short, stopReason: "end_turn" }, japanese)).toBeUndefined()
})

test("what is empty, cut off, refused, too long or without sense is not", () => {
  expect(complaint("")).toContain("empty")
  expect(complaint(" \n\t")).toContain("empty")
  expect(complaint("The user wants a login", "max_tokens")).toContain("cut off")
  expect(complaint("The user wants a login", "model_context_window_exceeded")).toContain("cut off")
  expect(complaint("I cannot help with that request about the login route", "refusal")).toContain("refused")
  expect(complaint("The user wants a login route. ".repeat(100))).toContain("longer")
  for (const garbage of [
    "ok",
    "Done with everything you asked.",
    "x9$ %% ## @@ !! ^^ && ** (( )) ~~",
    "login ".repeat(60),
    "\u0000\u0001\u0002 \ufffd\ufffd \ufffd\ufffd login route server tests green user",
    "Lorem ipsum dolor sit amet consectetur adipiscing elit vivamus vestibulum sagittis",
  ])
    expect([garbage, complaint(garbage)]).toEqual([garbage, "the summary made no sense"])
})
