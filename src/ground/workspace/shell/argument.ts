/** One word of a command as the program will get it, or what can be known about it. */

/**
 * `exact`: the exact text. `glob`: file names that match. `dynamic`: what a command prints or a variable contains.
 * `pipe`: the end of a process substitution. `unknown`: not understood at all.
 */
export type ArgumentKind = "exact" | "glob" | "dynamic" | "pipe" | "unknown"

export interface Argument {
  /** Decoded when exact, otherwise the closest approximation. */
  readonly text: string
  readonly kind: ArgumentKind
  /** The prefix of every word it can become. */
  readonly head: string
  /** Whether it may become several words, or none. */
  readonly many: boolean
  /** Every word it can become, when a command that lists files printed it. */
  readonly words?: readonly string[]
  /** The same when there are many: where they are, and every link among them. */
  readonly below?: readonly string[]
  /** The folder that paths in `below` are relative to; absent when it does not matter. */
  readonly from?: string
  /** It contains any number of those words, perhaps none, with spaces between them. */
  readonly several?: true
  /** It may also become words that are not among those. */
  readonly loose?: true
  /** No word it becomes is split or is a pattern outside quotes. */
  readonly plain?: true
  /** It is some number; `if any`: or empty, when the command that prints it fails. */
  readonly number?: "always" | "if any"
  /** It is the path of a temporary file or folder that the line has just created, or empty when that failed. */
  readonly fresh?: true
  /** It is the name of the current branch, which was not called like a flag when it was looked at. */
  readonly branch?: true
  /** No word it becomes starts with a dash. */
  readonly token?: true
  readonly list?: readonly Argument[]
  /** The pattern whose matches it becomes, split once more. */
  readonly pattern?: Argument
}

export const exactly = (text: string): Argument => ({ text, kind: "exact", head: text, many: false })

export const unknown = (text: string): Argument => ({ text, kind: "unknown", head: "", many: true })

export const someText = (text: string): Argument => ({ text, kind: "dynamic", head: "", many: false })

/** Undefined when one is not exact. */
export function exactTexts(args: readonly Argument[]): readonly string[] | undefined {
  return args.every(({ kind }) => kind === "exact") ? args.map(({ text }) => text) : undefined
}

/** Whether a command that lists files printed it, so that it is known what it can name. */
export const isListed = ({ words, below }: Argument): boolean => words !== undefined || below !== undefined

/** Whether a word could turn out to be a flag. */
export function mayBeFlag({ kind, head, text, token }: Argument): boolean {
  if (kind === "pipe" || token) return false
  return kind === "exact" ? text.startsWith("-") : head === "" || head.startsWith("-")
}
