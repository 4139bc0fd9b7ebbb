/** A goal: what must hold before a session stops working, and how far it is. */

/** A command that must succeed, or a sentence that a model judges by what the conversation shows. */
export type GoalCheck =
  { readonly kind: "command"; readonly command: string } | { readonly kind: "sentence"; readonly text: string }

/** `held`: the check succeeded. `missed`: a limit was reached first. `cleared`: the user ended it. */
export const goalStates = ["open", "held", "missed", "cleared"] as const
export type GoalState = (typeof goalStates)[number]

export interface GoalLimits {
  readonly checks: number
  /** Requests to the model. */
  readonly steps: number
  readonly ms: number
  /** What may be spent on it, besides the budget of the session. */
  readonly usd?: number
}

/** Everything that is known of it at one moment, so that the last entry is enough. */
export interface Goal {
  readonly check: GoalCheck
  /** Where its command runs. */
  readonly folder: string
  readonly limits: GoalLimits
  readonly state: GoalState
  readonly checks: number
  readonly steps: number
  /** When it was set, in milliseconds since the epoch. */
  readonly since: number
  /** What the session had cost by then. */
  readonly paidBefore: number
  /** What the last check said, or why it ended. */
  readonly why?: string
}

/** As it is typed: `$ npm test` or `!npm test` is a command, anything else a sentence. Undefined if nothing is left. */
export function goalCheck(typed: string): GoalCheck | undefined {
  const text = typed.trim()
  const [, command] = /^(?:\$\s|!)\s*(.*)$/s.exec(text) ?? []
  if (command !== undefined) return command.trim() === "" ? undefined : { kind: "command", command: command.trim() }
  return text === "" || text === "$" ? undefined : { kind: "sentence", text }
}

/** The same as one would type it. */
export const goalText = (check: GoalCheck): string => (check.kind === "command" ? `$ ${check.command}` : check.text)

/** What starts the work where nothing else was said. */
export const goalPrompt = (check: GoalCheck): string =>
  check.kind === "command"
    ? `Work until this command succeeds: ${check.command}`
    : `Work until this is the case: ${check.text}`
