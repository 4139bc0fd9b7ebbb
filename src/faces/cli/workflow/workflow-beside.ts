/** `/workflow`: a run in a process of its own, beside the conversation, which hears how it ends. */

import { closeSync, mkdirSync, openSync } from "node:fs"
import { join } from "node:path"
import { newRunId, openRunRecord } from "#fleet/workflow/run-record.ts"
import { processEnvironment } from "#ground/settings/environment.ts"
import { stripControls } from "#lib/printable.ts"
import { ownProgram } from "#faces/cli/own-program.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { unknownWorkflow, workflowNamed, workflowsIn } from "./find-workflow.ts"

const mostWords = 2_000

/** `said` is called at once, and when the run has ended. The run goes on if the conversation is left. */
export async function workflowBeside(
  words: string,
  { cwd, state }: Pick<StartupContext, "cwd" | "state">,
  said: (text: string) => void,
): Promise<void> {
  const [name = "", input = ""] = /^(\S*)\s*([^]*)$/.exec(words.trim())?.slice(1) ?? []
  if (name === "") return said(listWords(cwd))
  const file = workflowNamed(name, cwd)
  const program = ownProgram()
  if (!file || !program) return said(file ? "Workflows need the codewright program." : unknownWorkflow(name, cwd))
  const id = newRunId()
  const record = openRunRecord(state, id)
  mkdirSync(record.folder, { recursive: true, mode: 0o700 })
  const output = openSync(join(record.folder, "output.txt"), "w", 0o600)
  const child = Bun.spawn(
    [...program, "workflow", "run", file.file, "--id", id, ...(input === "" ? [] : ["--input", input])],
    {
      cwd,
      env: processEnvironment(),
      stdio: ["ignore", "ignore", output],
      detached: true,
    },
  )
  child.unref()
  closeSync(output)
  said(`Started ${file.name} (${id}). Its agents: /agents running. Its output: ${join(record.folder, "output.txt")}`)
  await child.exited
  const end = record.run()?.end
  const shown = end?.ok ? (typeof end.result === "string" ? end.result : JSON.stringify(end.result, null, 2)) : ""
  said(
    end?.ok
      ? `${file.name} (${id}) is done.\n${stripControls(shown).slice(0, mostWords)}`
      : `${file.name} (${id}) has failed: ${stripControls(end?.why ?? (await lastLine(join(record.folder, "output.txt"))))}`,
  )
}

function listWords(cwd: string): string {
  const all = workflowsIn(cwd)
  if (all.length === 0) return "No workflows. Put a script into .codewright/workflows; see codewright docs workflows."
  return `Workflows: ${all.map(({ name }) => name).join(", ")}. Run one with /workflow <name>.`
}

const lastLine = async (path: string): Promise<string> =>
  (await Bun.file(path).text())
    .trim()
    .split("\n")
    .at(-1)
    ?.replace(/^error: /, "") ?? ""
