/** What a call would touch, from its tool's name and its input alone: for decisions about calls that nobody makes. */

import { type Footprint, reaches, reads, runs, touchesNothing, writes } from "#agent/words/footprint.ts"
import { leavesFolder, splitPattern } from "#ground/workspace/search/glob.ts"
import type { Paths } from "#ground/workspace/paths.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"

/** More than the 4,096 characters that systems accept, and still cheap to judge. */
const longestPath = 20_000

/** Fails with a sentence about what is wrong with the input. */
export function caseFootprint(
  tool: string,
  input: JsonObject,
  { paths, cwd, isMarked = false }: { readonly paths: Paths; readonly cwd: string; readonly isMarked?: boolean },
): Result<Footprint, string> {
  const at = (value: JsonValue | undefined, field: string): Result<string, string> => {
    if (typeof value !== "string") return failed(`The input of ${tool} needs the string \`${field}\`.`)
    if (value.length > longestPath) return failed("The path is longer than any system takes.")
    const path = paths.resolve(value)
    // Dots after a link mean one folder by name and another on the disk; a path that keeps them is judged by both.
    if (path.ok && !value.startsWith("~") && value.split("/").includes(".."))
      return ok(value.startsWith("/") ? value : `${cwd}/${value}`)
    return path.ok ? path : failed(`The path ${JSON.stringify(value)} cannot be used.`)
  }
  const reading = (value: JsonValue | undefined, field: string): Result<Footprint, string> => {
    const path = at(value, field)
    return path.ok ? ok(reads(path.value)) : path
  }
  const writing = (value: JsonValue | undefined, field: string): Result<Footprint, string> => {
    const path = at(value, field)
    return path.ok ? ok(writes(path.value)) : path
  }
  const text = (field: string, make: (value: string) => Footprint): Result<Footprint, string> => {
    const value = input[field]
    return typeof value === "string" && value !== ""
      ? ok(make(value))
      : failed(`The input of ${tool} needs the string \`${field}\`.`)
  }

  switch (tool) {
    case "Bash":
      return text("command", runs)
    case "Read":
      return reading(input.file_path, "file_path")
    case "NotebookRead":
      return reading(input.notebook_path, "notebook_path")
    case "LS":
      return reading(input.path, "path")
    case "Grep":
      return reading(input.path ?? ".", "path")
    case "Glob":
      if (typeof input.pattern === "string" && leavesFolder(input.pattern))
        return failed("A pattern that leads out of its folder behind a wildcard or in braces cannot be used.")
      return reading(globFolder(input), "path")
    case "Write":
    case "Edit":
      return writing(input.file_path, "file_path")
    case "NotebookEdit":
      return writing(input.notebook_path, "notebook_path")
    case "MultiEdit": {
      const edits: readonly JsonValue[] = Array.isArray(input.edits) ? input.edits : []
      const named = edits.flatMap((edit) => (isObject(edit) && edit.file_path !== undefined ? [edit.file_path] : []))
      const files = [...(input.file_path === undefined ? [] : [input.file_path]), ...named].map((file) =>
        at(file, "file_path"),
      )
      const wrong = files.find((file) => !file.ok)
      if (wrong && !wrong.ok) return wrong
      if (files.length === 0) return failed("The input of MultiEdit needs the string `file_path`.")
      return ok(writes(...new Set(files.flatMap((file) => (file.ok ? [file.value] : [])))))
    }
    case "WebFetch":
      return text("url", (url) => reaches(url))
    case "WebSearch":
      return ok(reaches("search://configured"))
    case "AskUserQuestion":
    case "ExitPlanMode":
      return ok({ ...touchesNothing(), asks: true })
    case "EnterPlanMode":
    case "TodoWrite":
    case "TodoRead":
    case "BashOutput":
    case "TaskOutput":
    case "KillShell":
    case "KillBash":
    case "TaskStop":
    // What a subagent does is judged call by call.
    case "Task":
    case "Agent":
      return ok(touchesNothing())
    default:
      // Nobody knows what another tool does, so that it is never free.
      return ok({
        ...reaches(tool.startsWith("mcp__") ? `mcp://${tool.split("__")[1] ?? "server"}` : `tool://${tool}`),
        effect: isMarked ? "reads" : "unknown",
      })
  }
}

/** A pattern may begin with a folder of its own. */
function globFolder({ path, pattern }: JsonObject): JsonValue {
  const from = typeof path === "string" ? path : "."
  if (typeof pattern !== "string") return from
  const { folder } = splitPattern(pattern)
  return folder === "" ? from : folder.startsWith("/") || folder.startsWith("~") ? folder : `${from}/${folder}`
}
