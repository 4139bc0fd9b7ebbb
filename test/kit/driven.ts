/** A session as the terminal has it, with someone who answers, whose every step a test writes down; a process of its own. */

import { join } from "node:path"
import type { Op } from "#agent/words/op.ts"
import type { Scenario, ScenarioReply } from "#sim/scenario.ts"
import { openSimulator } from "#sim/server.ts"
import { helper } from "./helper.ts"
import { asScenario, environmentOf, type Place } from "./run-codewright.ts"

export type Moment = "text" | "tool_start" | "tool_progress" | "question_open"

export type Deed =
  /** `until`: the person interrupts when that happens, or a while after; or says something more, where `steer` is given. */
  | {
      readonly prompt: string
      readonly until?: Moment
      readonly afterMs?: number
      readonly steer?: string
    }
  | { readonly op: Op }
  | { readonly rewindTo: number; readonly what: "files" | "conversation" | "both" }
  /** The person changes a file themselves. */
  | { readonly write: string; readonly text: string }

/** Permissions are given and the second of each choice is chosen. Gives the id of the session. */
export async function driven(
  place: Place,
  scenario: Scenario | readonly (string | ScenarioReply)[],
  deeds: readonly Deed[],
  argv: readonly string[] = ["--permission-mode", "acceptEdits"],
): Promise<string> {
  const opened = await openSimulator({ scenario: asScenario(scenario) })
  if (!opened.ok) throw new Error(opened.failure.message)
  const file = join(place.home, "deeds.json")
  await Bun.write(file, JSON.stringify({ argv, deeds }))
  const child = Bun.spawn([...helper(join(import.meta.dir, "drive-session.ts")), file], {
    cwd: place.work,
    env: environmentOf(place, opened.value.url),
    stdio: ["ignore", "pipe", "pipe"],
  })
  const [id, said, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  await opened.value.close()
  if (code !== 0) throw new Error(said)
  return id
}
