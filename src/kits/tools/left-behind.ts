/** What happened to processes that a command left running. */

import type { JobEnd } from "#ground/workspace/processes/job.ts"

export function leftBehindNote({ leftBehind }: Pick<JobEnd, "leftBehind">): string | undefined {
  switch (leftBehind) {
    case "nothing":
      return undefined
    case "ended":
      return "Processes that the command left running were ended with it."
    case "detached":
      return "The command left a detached process running; it is ended with the session at the latest."
  }
}
