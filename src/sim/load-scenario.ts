/** Reads a scenario from a file: YAML or JSON as data, TypeScript or JavaScript as a module. */

import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Scenario } from "./scenario.ts"

/** The message names the file and the field. */
export interface BadScenario {
  readonly kind: "bad_scenario"
  readonly message: string
}

export async function loadScenario(path: string): Promise<Result<Scenario, BadScenario>> {
  const bad = (message: string): Result<Scenario, BadScenario> =>
    failed({ kind: "bad_scenario", message: `${path}: ${message}` })
  const file = Bun.file(path)
  if (!(await file.exists())) return bad("there is no such file.")
  const read = /\.[cm]?[jt]s$/.test(path) ? await readModule(path) : readText(await file.text())
  if (!read.ok) return bad(read.failure)
  if (typeof read.value === "function") return ok(read.value as Scenario)
  const { parseScenario } = await import("./scenario-schema.ts")
  const parsed = parseScenario(read.value)
  // Validated, so the data matches the type.
  return parsed.ok ? ok(read.value as Scenario) : bad(parsed.failure)
}

function readText(text: string): Result<unknown, string> {
  try {
    return ok(Bun.YAML.parse(text))
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const line = lineOfError(text)
    return failed(`${message}${line === undefined ? "" : ` (near line ${line})`}.`)
  }
}

const mostLinesToSearch = 500

/** The parser does not say where it stopped: just after the longest prefix it accepts. */
function lineOfError(text: string): number | undefined {
  const lines = text.split("\n")
  if (lines.length > mostLinesToSearch) return undefined
  const good = lines.findLastIndex((_, index) => parses(lines.slice(0, index).join("\n")))
  return good === -1 ? undefined : good + 1
}

function parses(text: string): boolean {
  try {
    Bun.YAML.parse(text)
    return true
  } catch {
    return false
  }
}

async function readModule(path: string): Promise<Result<unknown, string>> {
  try {
    const module: { readonly default?: unknown; readonly scenario?: unknown } = await import(
      pathToFileURL(resolve(path)).href
    )
    const exported = module.default ?? module.scenario
    if (exported === undefined) return failed("export the scenario as `default` or as `scenario`.")
    return ok(exported)
  } catch (error) {
    return failed(`it could not be loaded: ${String(error)}`)
  }
}
