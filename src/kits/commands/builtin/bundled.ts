/** A command or skill that comes with the program, written as people write theirs. */

export interface BundledCommand {
  readonly name: string
  readonly text: string
}
