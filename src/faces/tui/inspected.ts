/** What was sent to the model, as an item to print. */

import type { Item } from "#faces/view/item.ts"
import type { InspectedText } from "#session/slash/inspect-text.ts"

export const inspectedItem = ({ title, text }: InspectedText): Item => ({
  kind: "call",
  callId: "",
  tool: "",
  title,
  state: "done",
  tail: "",
  totalBytes: 0,
  elapsedMs: 0,
  result: { text, display: { kind: "text", text } },
})
