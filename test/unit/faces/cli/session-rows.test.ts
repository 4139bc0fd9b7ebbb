/** Conversations found by words: those whose name has them come first. */

import { expect, test } from "bun:test"
import { titledFirst } from "#faces/cli/sessions/session-rows.ts"
import type { SessionRow } from "#ground/transcript/catalog.ts"

const row = (id: string, title: string | undefined, firstPrompt: string): SessionRow =>
  ({ id, title, firstPrompt }) as unknown as SessionRow

test("a hit in the title comes before newer hits in what was said", () => {
  const rows = [
    row("a", "Parser work", "continue my first session"),
    row("b", undefined, "my FIRST session"),
    row("c", "Dates", "hello"),
    row("d", "My first session", "hello"),
  ]
  expect(titledFirst(rows, "first session").map(({ id }) => id)).toEqual(["b", "d", "a", "c"])
  expect(titledFirst(rows, "dates").map(({ id }) => id)).toEqual(["c", "a", "b", "d"])
})
