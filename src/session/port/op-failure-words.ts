/** Why an op failed, in words for the user. */

import { forConsent } from "#lib/printable.ts"
import type { OpFailure } from "./session.ts"

export function opFailureWords(failure: OpFailure): string {
  switch (failure.kind) {
    case "working":
      return "Not while a turn is running."
    case "nothing_runs":
      return "Nothing is running that could move to the background."
    case "no_such_agent":
      return "That agent is not running any more."
    case "no_such_command":
      return "That command is not running any more."
    case "gate":
    case "goal":
    case "loop":
    case "model":
    case "server":
    case "rule":
    case "folder":
    case "memory":
    case "file":
    case "team":
      return failure.message
    case "no_such_question":
      return "That question is not open any more."
    case "stale":
      return "The question has changed since. Look at it again."
    case "closed":
      return "The session is closed."
    case "empty_title":
      return "The title is empty."
    case "empty_todo":
      return "A todo must have text."
    case "unknown_command":
      return unknownCommand(failure)
    case "empty_prompt":
      return "The prompt is empty; nothing was sent."
    case "mode_not_available":
      return failure.mode === "auto"
        ? "Auto mode is turned off by permissions.disableAutoMode."
        : "Bypass mode must be enabled at start: --allow-dangerously-skip-permissions."
    case "plan_gate":
      return "The plan gate is on: the mode can be changed once a plan is approved."
  }
}

function unknownCommand({ name, near }: OpFailure & { kind: "unknown_command" }): string {
  const meant = near.map((one) => `/${one}`).join(" or ")
  return forConsent(
    `Unknown command /${name}. ${meant === "" ? "/help lists the commands." : `Did you mean ${meant}?`}`,
  )
}
