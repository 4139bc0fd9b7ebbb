/** The panel of a side question: what was asked, and the answer when it has come. */

import type { Effect } from "#faces/tui/effect.ts"
import { documentRows } from "#faces/tui/parts/markdown.ts"
import { fitted } from "#faces/tui/screen/width.ts"
import { forConsent } from "#lib/printable.ts"
import type { TextDefinition } from "./panel.ts"
import { passage, warningRows } from "./passage.ts"
import type { BtwPort } from "./ports.ts"

export const btwPanel = ({ ask }: BtwPort, question: string): TextDefinition<readonly Effect[]> => ({
  kind: "text",
  title: fitted(forConsent(question), 200),
  begins: "top",
  async load(signal) {
    const answer = await ask(question, signal)
    return {
      about: "Not part of the conversation",
      draw: answer.ok ? (columns) => documentRows(answer.value, columns) : passage(warningRows(answer.failure)),
      keys: [],
    }
  },
})
