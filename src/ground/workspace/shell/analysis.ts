/**
 * What is known about a shell command before it runs: its parts, what each would touch, and whether all of it was
 * understood.
 */

import type { FindProgram } from "./programs/program-file.ts"

/** Where a command would run, and the few questions about the disk that the analysis may ask. */
export interface ShellPlace {
  /** The folder the shell starts in, absolute, as the shell's own `PWD` will say it. */
  readonly cwd: string
  /** What `HOME` will be. */
  readonly home: string
  /** Folders that may be read without asking: the workspace, added folders, the session's own files. */
  readonly roots: readonly string[]
  /** Where a path leads with every link resolved, also when it does not exist yet. Never throws. */
  readonly realPath: (path: string) => string
  /** Whether git in this folder could run a program that the repository names. See `repository.ts`. */
  readonly repositoryRunsPrograms: (folder: string) => boolean
  /** Undefined when it cannot be read. Allows checking patterns for links that lead outside. */
  readonly list?: (folder: string) => readonly string[] | undefined
  /** Everything below a folder, following no link; undefined when there is too much. */
  readonly everything?: (folder: string, limits?: WalkLimits) => readonly WalkedFile[] | undefined
  /** What git tracks around a folder; undefined when its index is not understood. */
  readonly tracked?: (folder: string) => Tracked | undefined
  /** Every link below a folder; undefined when there is too much. */
  readonly everyLink?: (folder: string) => readonly string[] | undefined
  /** The content of a short file; undefined when it cannot be read. */
  readonly text?: (path: string) => string | undefined
  /** Whether something exists at a path; assumed when absent. */
  readonly exists?: (path: string) => boolean
  /** The file that a name would start; when absent each name is the program it says. */
  readonly program?: FindProgram
}

export interface WalkedFile {
  /** Relative to the folder that was walked. */
  readonly path: string
  readonly isLink: boolean
}

/** What is skipped in a tree. */
export interface WalkLimits {
  /** How many levels deep; no limit when absent. */
  readonly depth?: number | undefined
  /** Folders that are listed but not entered, by their path from the walked folder. */
  readonly skips?: (path: string) => boolean
}

export interface Tracked {
  /** Relative to the root of the repository. */
  readonly names: readonly string[]
  /** The folder's path from there, with a trailing slash; empty for the root itself. */
  readonly prefix: string
}

/** What a simple command does. `other` means: not on any list. */
export type Verdict = "read_only" | "touches_files" | "other"

/** A variable set before a command or on its own. */
export interface Setting {
  readonly name: string
  /** Undefined when only the shell will know it. */
  readonly value: string | undefined
  /** Whether the name is on the list of those that only change appearance. */
  readonly harmless: boolean
}

/** What can be counted before it is lost. */
export type Loss = "files" | "tracked" | "untracked" | "changes" | "stashes" | "commits"

/** What is at one path, with everything in it, ends up at another, or is visible there through a link. */
export interface Transfer {
  readonly from: string
  readonly to: string
  readonly how: "copies" | "moves" | "links"
}

export interface Destruction {
  readonly what: string
  readonly risk: string
  readonly loses?: Loss
}

/**
 * What a word that only the shell knows may become. `words`: any or all of these. `operand`: unknown, but no flag.
 * `anything`: also a flag; `one` says that it stays one word.
 */
export type WordExpansion =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "operand" }
  | { readonly kind: "anything"; readonly one: boolean }

/** One simple command, without the wrappers around it. */
export interface Segment {
  /** As written. */
  readonly text: string
  /** Where the name of its program is in the command line; undefined if nothing could be put before it there. */
  readonly at?: number
  /** The words as the program will get them. Empty for a bare assignment or redirection. */
  readonly argv: readonly string[]
  /** Indices of words only known as a pattern, a substitution or not at all; they are in `argv` as written. */
  readonly inexact: readonly number[]
  /** What the words in `inexact` may become, in the same order. */
  readonly expansions: readonly WordExpansion[]
  /** Texts that reach its input from here-documents, here-strings and pipes, as far as they are written in the line. */
  readonly fed: readonly string[]
  /** Whether unknown words follow, as after `xargs`. */
  readonly open: boolean
  readonly wrappers: readonly string[]
  readonly assignments: readonly Setting[]
  /** The folder it runs in, followed through `cd`; undefined when unknown. */
  readonly cwd: string | undefined
  /** Every folder it may run in; undefined when unknown. */
  readonly folders: readonly string[] | undefined
  /** Absolute paths, not normalised; a folder means everything below it. */
  readonly reads: readonly string[]
  /** Absolute paths that are created, changed or removed, not normalised. */
  readonly writes: readonly string[]
  /** Folders that end up elsewhere: the files in them are written too. */
  readonly transfers: readonly Transfer[]
  /** Whether it also touches unknown paths. */
  readonly unbounded: boolean
  readonly verdict: Verdict
  /** Why it is not read-only, as the end of a sentence; absent when it is. */
  readonly why?: string
  /**
   * A plain file command (mkdir, cp, mv, rm, or output into a file) that only creates, moves or removes what is listed.
   */
  readonly harmless: boolean
  /**
   * Whether it may put a link where another part of the same line looks, which would invalidate paths judged before.
   */
  readonly relinks: boolean
  /** Whether the verdict depends on which files are around it, so that another part of the line could make it wrong. */
  readonly relies: boolean
  /**
   * Its answer is about the processes, sockets or interfaces of this machine: a sandbox with its own would answer
   * wrongly, and in silence.
   */
  readonly machine?: true
  /** It only reads, but from a host or from a service of this machine: without a network it can only fail. */
  readonly network?: true
  /** What it reads from is a service of this machine. */
  readonly service?: true
  /** It shows git's settings and starts nothing: with settings that we force it would show ours. */
  readonly asksGitSettings?: true
  readonly destructive?: Destruction
  /** Whether it only removes temporary files and folders that the same line created. */
  readonly removesFresh?: true
  /** Why this must be asked in every mode: it could remove the system, the home folder or the workspace. */
  readonly critical?: string
  /** Says that it runs a program that the same line downloads, and from where. */
  readonly fetched?: string
  /** Commands that this one would start, as far as they can be read: for deny and ask rules, never for allow rules. */
  readonly behind: readonly Segment[]
}

export type Analysis =
  | { readonly understood: true; readonly segments: readonly Segment[] }
  /** `segments` has what could be read all the same: enough to deny, never enough to allow. */
  | {
      readonly understood: false
      readonly why: string
      readonly segments: readonly Segment[]
      readonly critical?: string
    }
