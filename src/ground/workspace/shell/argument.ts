/** One word of a command as the program will get it, or what can be known of it. */

/**
 * `exact`: the very text. `glob`: file names that match. `dynamic`: what a command prints or a variable holds.
 * `pipe`: the end of a process substitution. `unknown`: not understood at all.
 */
export type ArgumentKind = "exact" | "glob" | "dynamic" | "pipe" | "unknown"

export interface Argument {
  /** Decoded when exact, otherwise as near to it as can be said. */
  readonly text: string
  readonly kind: ArgumentKind
  /** What every word that comes of it begins with. */
  readonly head: string
  /** Whether it may become several words, or none. */
  readonly many: boolean
  /** Every word it can become, when a command that lists files printed it. */
  readonly words?: readonly string[]
  /** The same when they are many: where they lie, and every link among them. */
  readonly below?: readonly string[]
  /** The folder from which the paths in `below` are taken; absent when it does not matter. */
  readonly from?: string
  /** It holds as many of those words as there are, perhaps none, with blanks between them. */
  readonly several?: true
  /** It may also become words that are not among those. */
  readonly loose?: true
  /** No word that comes of it falls apart or is a pattern outside quotes. */
  readonly plain?: true
  /** It is a number, whichever one; `if any`: or empty, when the command that prints it fails. */
  readonly number?: "always" | "if any"
  /** It is the path of a temporary file or folder that the line has just made, or empty when that failed. */
  readonly fresh?: true
  /** No word that comes of it begins with a dash. */
  readonly token?: true
  /** The words of an array. */
  readonly list?: readonly Argument[]
}

export const exactly = (text: string): Argument => ({ text, kind: "exact", head: text, many: false })

export const unknown = (text: string): Argument => ({ text, kind: "unknown", head: "", many: true })

/** Some text that nobody knows before: what a command prints, or a variable holds. */
export const someText = (text: string): Argument => ({ text, kind: "dynamic", head: "", many: false })

/** The texts of arguments that are all exact; undefined when one is not. */
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
