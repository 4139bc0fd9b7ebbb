/** What is known of a shell command before it runs: its parts, what each would touch, and whether all of it was understood. */

import type { FindProgram } from "./program-file.ts"

/** Where a command would run, and the few questions about the disk that the analysis may ask. */
export interface Place {
  /** The folder the shell starts in, absolute, as the shell's own `PWD` will say it. */
  readonly cwd: string
  /** What `HOME` will be. */
  readonly home: string
  /** Folders that may be read without a question: the workspace, added folders, the session's own files. */
  readonly roots: readonly string[]
  /** Where a path leads once every link is followed, also when it does not exist yet. Never throws. */
  readonly realPath: (path: string) => string
  /** Whether git in this folder could run a program that the repository names. See `repository.ts`. */
  readonly repositoryRunsPrograms: (folder: string) => boolean
  /** The names in a folder; undefined when it cannot be read. Lets patterns be checked for links that lead outside. */
  readonly list?: (folder: string) => readonly string[] | undefined
  /** Everything below a folder, following no link; undefined when there is too much to look at. */
  readonly everything?: (folder: string, limits?: WalkLimits) => readonly Found[] | undefined
  /** What git keeps track of around a folder; undefined when its index is not understood. */
  readonly tracked?: (folder: string) => Tracked | undefined
  /** Every link below a folder; undefined when there is too much to look at, or nobody looks. */
  readonly everyLink?: (folder: string) => readonly string[] | undefined
  /** What a short file holds; undefined when it cannot be read. */
  readonly text?: (path: string) => string | undefined
  /** Whether something lies at a path; absent means that it is assumed. */
  readonly exists?: (path: string) => boolean
  /** The file that a name would start; absent means that each is the program it is called. */
  readonly program?: FindProgram
}

/** One name below a folder. */
export interface Found {
  /** From the folder that was walked. */
  readonly path: string
  readonly isLink: boolean
}

/** What of a tree is not looked at. */
export interface WalkLimits {
  /** How many names deep; all the way when absent. */
  readonly depth?: number | undefined
  /** Folders that are told of and not entered, by their path from the folder that is walked. */
  readonly skips?: (path: string) => boolean
}

/** The names in git's index. */
export interface Tracked {
  /** From the top of the repository. */
  readonly names: readonly string[]
  /** How the folder is called from there, with a slash at its end; empty for the top itself. */
  readonly prefix: string
}

/** What a simple command does with the world. `other` means: not on any list. */
export type Verdict = "read_only" | "touches_files" | "other"

/** A variable set before a command or on its own. */
export interface Setting {
  readonly name: string
  /** The exact value; undefined when only the shell will know it. */
  readonly value: string | undefined
  /** Whether the name is on the list of those that change nothing but looks. */
  readonly harmless: boolean
}

/** What can be counted before it is lost. */
export type Loss = "files" | "tracked" | "untracked" | "changes" | "stashes" | "commits"

/** What lies at one path, with all that is in it, comes to lie at another, or is seen there through a link. */
export interface Transfer {
  readonly from: string
  readonly to: string
  readonly how: "copies" | "moves" | "links"
}

/** A deed that cannot be taken back. */
export interface Destruction {
  readonly what: string
  readonly risk: string
  readonly loses?: Loss
}

/** One simple command, after the wrappers around it were taken off. */
export interface Segment {
  /** As written. */
  readonly text: string
  /** The words as the program will get them. Empty for a bare assignment or redirection. */
  readonly argv: readonly string[]
  /** Which of the words are only known as a pattern, a substitution or not at all; they stand in `argv` as written. */
  readonly inexact: readonly number[]
  /** Whether further words follow that nobody knows yet, as behind `xargs`. */
  readonly open: boolean
  readonly wrappers: readonly string[]
  readonly assignments: readonly Setting[]
  /** The folder it runs in, followed through `cd`; undefined when it cannot be told. */
  readonly cwd: string | undefined
  /** Every folder it may run in; undefined when nobody can tell. */
  readonly folders: readonly string[] | undefined
  /** Absolute paths that are read, not tidied; a folder means what is below it. */
  readonly reads: readonly string[]
  /** Absolute paths that are created, changed or removed, not tidied. */
  readonly writes: readonly string[]
  /** Folders that come to lie elsewhere: the files in them are written too. */
  readonly transfers: readonly Transfer[]
  /** Whether it also touches paths that cannot be told. */
  readonly unbounded: boolean
  readonly verdict: Verdict
  /** Why it is not read-only, as the end of a sentence; absent when it is. */
  readonly why?: string
  /** A plain file command (mkdir, cp, mv, rm, or output into a file) that only makes, moves or removes what is listed. */
  readonly harmless: boolean
  /** Whether it may put a link where another part of the same line looks, so that paths judged before would lie. */
  readonly relinks: boolean
  /** Whether it is judged by which files lie around it, so that another part of the line could make that judgement wrong. */
  readonly relies: boolean
  readonly destructive?: Destruction
  /** Whether it removes nothing but temporary files and folders that the same line has made. */
  readonly removesFresh?: true
  /** Why this must be asked in every mode: it could remove the system, the home or the workspace. */
  readonly critical?: string
  /** Says that it runs a program that the same line downloads, and from where. */
  readonly fetched?: string
  /** Commands that this one would start, as far as they can be read: for deny and ask rules, never for allow rules. */
  readonly behind: readonly Segment[]
}

export type Analysis =
  | { readonly understood: true; readonly segments: readonly Segment[] }
  /** `segments` holds what could be read all the same: enough to deny, never enough to allow. */
  | {
      readonly understood: false
      readonly why: string
      readonly segments: readonly Segment[]
      readonly critical?: string
    }
