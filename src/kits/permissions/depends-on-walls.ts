/** Whether a decision has to wait until it is known what the sandbox can do here. */

import { isCoreReader } from "#ground/workspace/shell/core-readers.ts"
import type { JudgedCall } from "./call.ts"
import { closedTouch } from "./closed.ts"

/**
 * On whether it confines readers: some read without asking only then, and those that read around what is closed do not
 * see it only then. And on anything else where it is on.
 */
export const dependsOnWalls = (call: JudgedCall): boolean =>
  call.walls.workspace !== "off" ||
  call.commands.some(({ everything }) =>
    everything.some((part) => part.verdict === "read_only" && !isCoreReader(part)),
  ) ||
  closedTouch(call)?.isAround === true
