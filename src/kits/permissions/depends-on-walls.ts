/** Whether a decision has to wait until it is known what the sandbox can do here. */

import { isPlainCommand } from "#ground/workspace/shell/programs/core-readers.ts"
import type { Segment } from "#ground/workspace/shell/analysis.ts"
import type { JudgedCall } from "./call.ts"
import { findClosedPath } from "./closed.ts"

const changesPlainly = (part: Segment): boolean => part.verdict === "touches_files" && isPlainCommand(part)

/**
 * It does if the sandbox is on for all commands. Otherwise only readers are confined: some of them read without asking
 * only then, and only then can those that read around closed paths not see them.
 */
export const dependsOnWalls = (call: JudgedCall): boolean =>
  call.walls.workspace !== "off" ||
  call.commands.some(({ everything }) =>
    everything.some((part) => part.verdict !== "other" && !changesPlainly(part) && !call.readsUnasked(part)),
  ) ||
  findClosedPath(call)?.isAround === true
