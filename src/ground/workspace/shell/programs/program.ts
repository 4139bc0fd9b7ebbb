/** What a table says about a program. */

import type { ShellPlace, Transfer } from "#ground/workspace/shell/analysis.ts"
import type { Argument } from "#ground/workspace/shell/argument.ts"
import type { Listing } from "#ground/workspace/shell/listing.ts"
import type { Lists } from "#ground/workspace/shell/made-names.ts"
import type { Follows } from "#ground/workspace/shell/links.ts"
import type { Asks, Shape } from "#ground/workspace/shell/shape.ts"

export type KnownProgram = Shape | Family | Special

export interface CommandContext {
  readonly folders: readonly string[] | undefined
  readonly place: ShellPlace
  /** Its input, when that is a list of files. */
  readonly fed: Listing | undefined
  /** The programs around it, which run it. */
  readonly wrappers?: readonly string[]
}

/** A program whose first word says what it does. */
export interface Family {
  readonly subcommands: Table
  /** What it may be given without a subcommand. */
  readonly alone?: Shape
  /** Flags before the subcommand that change nothing. */
  readonly idleFlags?: readonly string[]
  /** A flag before the subcommand with the folder that it runs in. */
  readonly folderFlag?: string
  /** Whether it runs git in the working folder, so that the repository must start no programs. */
  readonly repository?: true
  /** Whether `-h` alone after a subcommand shows its usage, and nothing else. */
  readonly tellsUsage?: true
  /** Whether all of it accepts flags anywhere, on every system. */
  readonly flagsAnywhere?: true
  /** How all of it reads letters after one dash. */
  readonly letters?: Shape["letters"]
}

/** A program with a grammar of its own. */
export interface Special {
  readonly judge: (args: readonly Argument[], standing: CommandContext) => Finding
}

export interface Table {
  readonly [name: string]: KnownProgram
}

/** What the program would touch, or why it cannot be vouched for. */
export type Finding =
  | {
      readonly ok: true
      readonly reads: readonly Argument[]
      readonly writes: readonly Argument[]
      readonly transfers?: readonly {
        readonly from: Argument
        readonly to: Argument
        readonly how: Transfer["how"]
      }[]
      readonly here?: boolean
      readonly lists?: Lists
      /** Where the names are looked up. */
      readonly listed?: readonly Argument[]
      /** It prints some of its input lines, unchanged. */
      readonly passes?: boolean
      /** It prints one word that is not a flag: a number, or a name made of letters and digits. */
      readonly prints?: "number" | "token" | undefined
      /** It also reads what links below the folders lead to. */
      readonly follows?: Follows
      /** A link that a pattern matches is listed, and not followed. */
      readonly keepsLinks?: boolean
      /** The verdict depends on which files are around it now. */
      readonly relies?: boolean
      /** What it asks besides files. */
      readonly asks?: Asks
      /** Paths with unknown names are created or moved. */
      readonly unbounded?: boolean
      readonly harmless?: boolean
      readonly relinks?: boolean
    }
  | { readonly ok: false; readonly why: string }

/** A program that only reads what is named. */
export const reading = (...reads: readonly Argument[]): Finding => ({ ok: true, reads, writes: [] })

export const refused = (why: string): Finding => ({ ok: false, why })
