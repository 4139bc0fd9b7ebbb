/** What gates mean for a call. No rule, mode, hook or classifier passes them: some calls are refused, others always asked about. */

import type { Reason } from "#agent/words/permission.ts"
import type { Segment } from "#ground/workspace/shell/analysis.ts"
import type { JudgedCall } from "./call.ts"
import { type CommandPattern, meets, parseCommandPattern } from "./rules/command-pattern.ts"
import { gitWorkOf } from "./git-work.ts"
import { isInside, namesBelow } from "./paths.ts"
import { certainlyReads } from "./plan-mode.ts"
import { describeAction } from "./say.ts"

/** The gates that are closed now. */
export interface GateStanding {
  /** Nothing acts before the task is clear. */
  readonly clarifying?: true
  /** Every change of a repository is asked about. */
  readonly git?: true
  /** Only tests are written, and only test commands run, until one has failed. */
  readonly tests?: TestPatterns
}

export interface TestPatterns {
  /** Whether a path below the workspace's folder is a test's. */
  readonly isTest: (relative: string) => boolean
  readonly commands: readonly CommandPattern[]
}

/** The reason of whatever a gate refuses. */
export const closedGate: Reason = { kind: "tool_check", check: "a gate is closed" }

/** What is not a command at all is left out. */
export const testCommands = (texts: readonly string[]): readonly CommandPattern[] =>
  texts.flatMap((text) => {
    const pattern = parseCommandPattern(text)
    return pattern.ok ? [{ ...pattern.value, open: true }] : []
  })

/** Why a gate refuses a call, in words for the model; undefined if none does. */
export function gateRefusal(call: JudgedCall, { clarifying, tests }: GateStanding): string | undefined {
  if ((!clarifying && !tests) || certainlyReads(call)) return undefined
  const would = `${call.tool.name} would ${describeAction(call)}.`
  if (clarifying)
    return `The task is not confirmed yet, so nothing can be changed: ${would} Read and search, ask what is unclear with AskUserQuestion, then restate the task with ConfirmTask.`
  if (tests && !touchesTestsAlone(call, tests))
    return `Tests come first in this session: ${would} Write or change a test, then run it alone in a command and let it fail; after that the implementation can begin.`
  return undefined
}

/** Why a change of the repository is asked about; undefined if there is none. */
export function gitQuestion(call: JudgedCall): string | undefined {
  const work = gitWorkOf(call)
  return work && `the git gate is on, and this ${work.what}`
}

function touchesTestsAlone(call: JudgedCall, tests: TestPatterns): boolean {
  const { footprint, commands, writes } = call
  if (footprint.effect === "unknown" || footprint.reaches.length > 0) return false
  if (commands.length === 0) return writes.length > 0 && writes.every((path) => isTestPath(path, call, tests))
  return commands.every(
    ({ analysis }) =>
      analysis.understood &&
      analysis.segments.every(
        (segment) =>
          (segment.verdict === "read_only" && !segment.unbounded) ||
          ((isTestSegment(segment, tests) || (segment.verdict === "touches_files" && !segment.unbounded)) &&
            segment.writes.every((path) => isTestPath(path, call, tests))),
      ),
  )
}

export function isTestPath(path: string, { workspace, forms }: JudgedCall, { isTest }: TestPatterns): boolean {
  if (isInside(path, workspace.own, forms)) return true
  const roots = [workspace.root, ...workspace.added].flatMap(forms)
  // A link in a folder of tests may lead anywhere.
  return forms(path).every((form) =>
    roots.some((root) => {
      const names = namesBelow(root, form)
      return names !== undefined && names.length > 0 && isTest(names.join("/"))
    }),
  )
}

const isTestSegment = (segment: Segment, { commands }: TestPatterns): boolean =>
  commands.some((pattern) => meets(pattern, segment))

/** Whether a call runs a test command and nothing else that its exit code could come from. */
export function isTestRun({ commands }: JudgedCall, tests: TestPatterns): boolean {
  const [command, ...others] = commands
  if (!command?.analysis.understood || others.length > 0) return false
  const run = command.analysis.segments.filter(({ argv }) => argv[0] !== "cd")
  return run.length === 1 && run.every((segment) => isTestSegment(segment, tests))
}
