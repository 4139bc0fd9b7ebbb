/** Ends a background command with all of its processes. */

import * as shape from "#lib/shape.ts"
import { defineTool } from "#agent/words/define-tool.ts"
import { touchesNothing } from "#agent/words/footprint.ts"
import { answered, refused, type Tool } from "#agent/words/tool.ts"
import type { Background } from "#ground/workspace/processes/background.ts"
import { sayStatus } from "#ground/workspace/processes/background-words.ts"
import type { Clock } from "#lib/clock.ts"
import { knownAs } from "./bash-synonyms.ts"
import { sayBackground } from "./say-background.ts"

export interface BashStopInput {
  readonly shell_id: string
}

const input = shape.object({ shell_id: shape.string().min(1).describe("The id that Bash gave") })

export const bashStopTool = ({
  background,
  clock,
}: {
  readonly background: Background
  readonly clock: Clock
}): Tool<BashStopInput> =>
  knownAs(
    { task_id: "shell_id", bash_id: "shell_id" },
    defineTool({
      name: "KillShell",
      aliases: ["TaskStop", "KillBash"],
      description: "Ends a background command with all of its processes.",
      input,
      title: ({ shell_id }) => `KillShell ${shell_id}`,
      // It touches only our own processes, but parallel calls may be about the same ones.
      footprint: () => ({ ...touchesNothing(), alone: true }),
      async run({ shell_id }, { signal }) {
        const killed = await background.kill(shell_id, signal)
        if (!killed.ok) return refused(sayBackground(killed.failure))
        const { id, command, status } = killed.value
        return answered(
          `${sayStatus(killed.value, clock.now())} What it printed last can still be read with BashOutput.`,
          {
            display: { kind: "text", text: `${id}: ${status}` },
            data: { shellId: id, shell_id: id, command, status },
          },
        )
      },
    }),
  )
