/** What a flag is, and how it is written in help. */

export type FlagKind =
  | "switch"
  /** Needs a value; the last one wins. */
  | "value"
  /** May have a value: the next word, unless that is a flag. */
  | "optional"
  /** May have a value, but only after `=`, so that it never swallows the prompt. */
  | "attached"
  /** Takes values up to the next flag; repeats are joined. */
  | "list"
  /** A list of permission rules or tools: values separated by commas or spaces are split too. */
  | "rules"

export interface Flag<Name extends string = string> {
  readonly name: Name
  readonly also?: readonly string[]
  readonly kind: FlagKind
  readonly takes?: string
  readonly choices?: readonly string[]
  /** Of an attached value: a next word that is a list with one of these in it is the value, too. */
  readonly words?: readonly string[]
  /** Of an optional value: a next word with spaces is the prompt. */
  readonly oneWord?: true
  /** For programs rather than people: in the reference but not in help. */
  readonly hidden?: true
  readonly about: string
}

/** A longer list of choices is named in the sentence instead. */
const mostChoices = 30

export function spelling({ name, also = [], kind, takes, choices }: Flag): string {
  const short = also.filter((other) => !other.startsWith("--"))
  const long = also.filter((other) => other.startsWith("--"))
  const listed = choices?.join("|") ?? ""
  const shown = listed === "" || listed.length > mostChoices ? takes : listed
  return [...short, `--${name}`, ...long].join(", ") + (shown === undefined ? "" : valueForms[kind](shown))
}

const valueForms: { readonly [kind in FlagKind]: (takes: string) => string } = {
  switch: () => "",
  value: (takes) => ` <${takes}>`,
  list: (takes) => ` <${takes}>`,
  rules: (takes) => ` <${takes}>`,
  optional: (takes) => ` [${takes}]`,
  attached: (takes) => `[=${takes}]`,
}
