/** `/workflow`: a run in a process of its own, beside the conversation, which hears how it ends. */

import { newRunId, openRunRecord } from "#fleet/workflow/run-record.ts"
import { stripControls } from "#lib/printable.ts"
import { shortPath } from "#lib/tilde.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { unknownWorkflow, workflowNamed, workflowsIn } from "./find-workflow.ts"
import { lastLine, startRun } from "./start-run.ts"

const mostWords = 2_000

/** `said` is called at once, and when the run has ended. The run goes on if the conversation is left. */
export async function workflowBeside(
  words: string,
  { cwd, state, home }: Pick<StartupContext, "cwd" | "state" | "home">,
  said: (text: string) => void,
): Promise<void> {
  const [name = "", input = ""] = /^(\S*)\s*([^]*)$/.exec(words.trim())?.slice(1) ?? []
  if (name === "") return said(listWords(cwd))
  const file = workflowNamed(name, cwd)
  if (!file) return said(unknownWorkflow(name, cwd))
  const id = newRunId()
  const record = openRunRecord(state, id)
  const flags = input === "" ? [] : ["--input", input]
  const started = startRun({ id, file: file.file, flags }, { cwd, state })
  if (!started.ok) return said(started.failure)
  const { output, exited } = started.value
  said(`Started ${file.name} (${id}). Its agents: /agents running. Its output: ${shortPath(output, { cwd, home })}`)
  await exited
  const end = record.run()?.end
  const shown = end?.ok ? (typeof end.result === "string" ? end.result : JSON.stringify(end.result, null, 2)) : ""
  said(
    end?.ok
      ? `${file.name} (${id}) is done.\n${stripControls(shown).slice(0, mostWords)}`
      : `${file.name} (${id}) has failed: ${stripControls(end?.why ?? (await lastLine(output)))}`,
  )
}

function listWords(cwd: string): string {
  const all = workflowsIn(cwd)
  if (all.length === 0) return "No workflows. Put a script into .codewright/workflows; see codewright docs workflows."
  return `Workflows: ${all.map(({ name }) => name).join(", ")}. Run one with /workflow <name>.`
}
