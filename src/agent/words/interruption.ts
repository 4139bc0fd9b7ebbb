/** Who or what interrupts a turn. It is the reason of the abort signal, so that the model is told the truth about it. */

export const interruptCauses = ["SIGTERM", "SIGHUP", "output_closed"] as const
/** Of an interruption that is not the user's. */
export type InterruptCause = (typeof interruptCauses)[number]

const interrupters: { readonly [cause in InterruptCause]: string } = {
  SIGTERM: "the end of the program (SIGTERM)",
  SIGHUP: "the end of the terminal (SIGHUP)",
  output_closed: "the end of the program that read the output",
}

/** The reason to abort with; requests expect an `AbortError`. */
export const interruptReason = (cause: InterruptCause): DOMException =>
  new DOMException(interrupters[cause], "AbortError")

const causeOf = ({ reason }: AbortSignal): InterruptCause | undefined =>
  reason instanceof DOMException ? interruptCauses.find((cause) => interrupters[cause] === reason.message) : undefined

/** "Interrupted by ...": "the user", or what else it was. */
export function interrupterOf(signal: AbortSignal): string {
  const cause = causeOf(signal)
  return cause === undefined ? "the user" : interrupters[cause]
}

/** For the model, when the conversation continues: nobody asked for the work to stop. */
export function cutTurnWords(signal: AbortSignal): string | undefined {
  if (causeOf(signal) === undefined) return undefined
  return `The last turn was cut off by ${interrupterOf(signal)}, not by the user. What it had begun may be half done: check before you repeat anything.`
}
