/** What delegate mode allows: reading, and everything that lets others do the work. No rule, hook or grant can allow the rest. */

import type { JudgedCall } from "./call.ts"
import { certainlyReads } from "./plan-mode.ts"
import { describeAction } from "./say.ts"

/** Why delegate mode denies a call, in words for the model; undefined if it allows it. */
export function delegateRefusal(call: JudgedCall): string | undefined {
  if (call.tool.coordinates || certainlyReads(call)) return undefined
  return `Delegate mode is on: you coordinate, and others do the work. ${call.tool.name} would ${describeAction(call)}. Make it a task for a teammate (TaskCreate, Task), or ask the user to leave delegate mode.`
}
