/** Tells the model when delegate mode begins and when it ends, so that it does not have to learn it from refusals. */

import { byKind } from "#agent/words/follower.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { PermissionMode } from "#agent/words/permission.ts"

const beginName = "delegate_mode"
const exitName = "delegate_mode_exit"

export function delegateKit({ mode }: { readonly mode: () => PermissionMode }): Kit {
  /** Whether the conversation says that it is on. */
  let isTold = false
  const forget = (): void => void (isTold = false)
  return {
    name: beginName,
    conversation: {
      reset: forget,
      onEntry: byKind({
        attachment({ name }) {
          if (name === beginName) isTold = true
          if (name === exitName) isTold = false
        },
        // The new conversation does not say it.
        compaction: forget,
      }),
    },
    attachments() {
      const isOn = mode() === "delegate"
      if (isOn === isTold) return []
      return [isOn ? { name: beginName, text: beginWords } : { name: exitName, text: exitWords }]
    },
  }
}

const beginWords = `The user turned delegate mode on: you coordinate, and others do the work.
- You may read and search, keep the list of tasks, start agents and teammates, and send them messages.
- Edits, commands that may change something, and everything else that acts are denied, whatever the rules allow. Do not try them: describe the work in a task, give it to an agent or a teammate, and say what a good result looks like.
- When a result comes back, check it by reading before you build on it or report it.
Only the user can end this mode.`

const exitWords =
  "The user ended delegate mode: you may act yourself again, within the usual permissions. Leave to others what they are already working on."
