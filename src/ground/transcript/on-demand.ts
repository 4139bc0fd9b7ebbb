/** Results whose texts are read when they are wanted: most of a log is texts that are looked at once, if at all. */

import type { Entry } from "#agent/words/entry.ts"

type Result = Entry & { readonly kind: "result" }

const texts = ["content", "data", "display"] as const

/** The same result, without its texts in memory. `read` gives it whole, each time one of them is asked for. */
export function onDemand(result: Result, read: () => Result): Result {
  const { content: _content, data: _data, display: _display, ...rest } = result
  const lean = { ...rest }
  for (const name of texts)
    if (name in result) Object.defineProperty(lean, name, { enumerable: true, get: () => read()[name] })
  return lean as Result
}
