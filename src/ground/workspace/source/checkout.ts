/**
 * One session's part of a repository: the clone it works in, and beside it a repository of our own, the keeper, which makes what is kept. The
 * session can write to its clone, and git would start what that names; nothing but the worker writes to the keeper.
 */

import { join } from "node:path"
import type { Result } from "#lib/result.ts"
import type { RunGit } from "./run.ts"

export interface Checkout {
  readonly url: string
  /** The commit it began with. */
  readonly base: string
  readonly branch: string
  /** Where the files are. */
  readonly tree: string
  readonly keeper: string
}

/**
 * What is kept comes in two lanes. `files`: what is not ignored, commits, branches and what is staged; it may be in the source. `beside`: ignored
 * files and snapshots, which may have what nobody wants in a repository that others read.
 */
export type Lane = "files" | "beside"

/** A bundle can only build on what a ref leads to. */
export const baseRef = "refs/codewright/base"

export const laneRef = (lane: Lane): string => `refs/codewright/${lane}`

export const objectsOf = ({ tree }: Pick<Checkout, "tree">): string => join(tree, ".git", "objects")

/** For git in the keeper: the files of the clone, which index, and the clone's objects, which need no copy. */
export type RunKeeper = (
  argv: readonly string[],
  more?: { readonly input?: string; readonly index?: string; readonly env?: Readonly<Record<string, string>> },
) => Promise<Result<string, string>>

export const openRunKeeper =
  (git: RunGit, { keeper, tree }: Checkout): RunKeeper =>
  (argv, { input, index, env } = {}) =>
    git("local", tree, [`--git-dir=${keeper}`, `--work-tree=${tree}`, ...argv], {
      env: {
        GIT_ALTERNATE_OBJECT_DIRECTORIES: objectsOf({ tree }),
        ...(index !== undefined && { GIT_INDEX_FILE: join(keeper, index) }),
        ...env,
      },
      ...(input !== undefined && { input }),
    })

/** Who commits where nobody else is named. */
export const ownAuthor = { "user.name": "Codewright", "user.email": "codewright@localhost" } as const

export const identity: readonly string[] = Object.entries(ownAuthor).flatMap(([field, value]) => [
  "-c",
  `${field}=${value}`,
])
