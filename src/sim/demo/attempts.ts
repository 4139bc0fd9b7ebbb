/**
 * The attempts so far to make the tests pass, read from the calls: which change was kept, which failed, which still
 * needs a test run.
 */

import { outcomeOf, type DemoCall } from "./move.ts"
import type { Done, Story } from "./story.ts"
import { countsIn } from "./test-output.ts"

export interface AttemptedChange {
  readonly path: string
  readonly old: string
  readonly new: string
}

export interface Attempts {
  readonly lastRun: Done | undefined
  /** The last run of the current code, without a change that did not help. */
  readonly baseline: Done | undefined
  /** How many calls were made when the last kept change was proven. */
  readonly since: number
  /** Changes that made fewer tests fail. */
  readonly kept: readonly AttemptedChange[]
  /** Changes that did not help, undone or about to be. */
  readonly tried: readonly AttemptedChange[]
  /** Made, but the tests have not run since. */
  readonly untested: AttemptedChange | undefined
  /** Did not help and is still there. */
  readonly toUndo: AttemptedChange | undefined
}

export function readAttempts({ done }: Story, command: string): Attempts {
  let attempts: Attempts = {
    lastRun: undefined,
    baseline: undefined,
    since: 0,
    kept: [],
    tried: [],
    untested: undefined,
    toUndo: undefined,
  }
  for (const [index, made] of done.entries()) {
    if (made.tool === "Bash" && made.input.command === command) attempts = afterRun(attempts, made, index)
    if (made.tool === "Edit" && !made.failed) attempts = afterEdit(attempts, changeOf(made))
  }
  return attempts
}

export const toCall = ({ path, old, new: next }: AttemptedChange): DemoCall => ({
  tool: "Edit",
  input: { file_path: path, old_string: old, new_string: next },
})

export const undo = ({ path, old, new: next }: AttemptedChange): AttemptedChange => ({ path, old: next, new: old })

export const isSame = (a: AttemptedChange, b: AttemptedChange): boolean =>
  a.path === b.path && a.old === b.old && a.new === b.new

/** The last edit, if it was refused and nothing happened since. */
export function refusedEdit(story: Story): Done | undefined {
  const last = story.done.findLast(({ tool }) => tool === "Edit" || tool === "Bash")
  return last?.tool === "Edit" && last.failed ? outcomeOf(story, last) : undefined
}

function afterRun(attempts: Attempts, run: Done, index: number): Attempts {
  const { untested, baseline, kept, tried } = attempts
  if (untested === undefined) return { ...attempts, lastRun: run, baseline: run }
  const rest = { lastRun: run, untested: undefined }
  return failuresIn(run) < failuresIn(baseline)
    ? { ...rest, baseline: run, since: index, kept: [...kept, untested], tried: [], toUndo: undefined }
    : { ...attempts, ...rest, tried: [...tried, untested], toUndo: untested }
}

function afterEdit(attempts: Attempts, change: AttemptedChange): Attempts {
  if (attempts.toUndo && isSame(change, undo(attempts.toUndo))) return { ...attempts, toUndo: undefined }
  return { ...attempts, untested: change }
}

const changeOf = ({ input }: Done): AttemptedChange => ({
  path: String(input.file_path),
  old: String(input.old_string),
  new: String(input.new_string),
})

function failuresIn(run: Done | undefined): number {
  if (run === undefined) return Number.POSITIVE_INFINITY
  return run.failed || /^\s*Exit code [1-9]/.test(run.result) ? (countsIn(run.result)?.failed ?? 1) : 0
}
