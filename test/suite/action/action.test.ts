/** The GitHub Action, run as the runner runs it, against the simulator. */

import { describe, expect, test } from "bun:test"
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { join, resolve } from "node:path"
import { isObject, type JsonObject } from "#lib/json.ts"
import { openSimulator } from "#sim/server.ts"
import { asScenario, environmentOf, openPlace, type Place, program, type RunOptions } from "../../kit/run-codewright.ts"
import { isNight } from "../../kit/runs.ts"
import { bodyOf, promptOf } from "../../kit/sent.ts"
import { lastingFolder } from "../../kit/tmp.ts"

const root = resolve(import.meta.dir, "../../..")
/** By day the scripts of the action run the program that is built; one story, and at night all, run what a checkout has. */
const built = isNight ? root : withProgram()

function withProgram(): string {
  const folder = lastingFolder()
  for (const name of ["scripts/action.mjs", "scripts/setup.mjs", "package-lock.json"])
    cpSync(join(root, name), join(folder, name))
  mkdirSync(join(folder, "bin"))
  symlinkSync(program, join(folder, "bin/codewright"))
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  return folder
}

interface ActionRun {
  readonly code: number
  readonly log: string
  readonly outputs: { readonly [name: string]: string }
  readonly requests: readonly Parameters<typeof bodyOf>[0][]
}

/** Runs the command of action.yml with these inputs, and the defaults of action.yml for the others. */
async function act(
  place: Place,
  inputs: { readonly [name: string]: string },
  scenario: NonNullable<RunOptions["scenario"]> = [],
  action = built,
): Promise<ActionRun> {
  const opened = await openSimulator({ scenario: asScenario(scenario) })
  if (!opened.ok) throw new Error(opened.failure.message)
  const output = place.write(join(place.path, "output"), "")
  const env = Object.fromEntries(
    Object.entries(step.env).map(([name, value]) => {
      const [, which = ""] = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(value) ?? []
      return [name, { "anthropic-api-key": "test", ...inputs }[which] ?? declared[which]?.default ?? ""]
    }),
  )
  const child = Bun.spawn(["bash", "-e", "-c", step.run], {
    cwd: place.work,
    env: environmentOf(place, opened.value.url, {
      ...env,
      GITHUB_ACTION_PATH: action,
      GITHUB_OUTPUT: output,
      ANTHROPIC_API_KEY: undefined,
    }),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
  const [log, , code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  await opened.value.close()
  return { code, log, outputs: outputsIn(readFileSync(output, "utf8")), requests: [...opened.value.requests] }
}

/** As the runner reads them: a name, a mark, and lines up to the mark. */
function outputsIn(text: string): { readonly [name: string]: string } {
  const found: { [name: string]: string } = {}
  const lines = text.split("\n")
  for (let at = 0; at < lines.length; at++) {
    const [, name, mark] = /^([\w-]+)<<(.+)$/.exec(lines[at] ?? "") ?? []
    if (name === undefined) continue
    const end = lines.indexOf(mark ?? "", at + 1)
    found[name] = lines.slice(at + 1, end).join("\n")
    at = end
  }
  return found
}

const written: unknown = Bun.YAML.parse(readFileSync(join(root, "action.yml"), "utf8"))
const objectAt = (value: unknown, ...path: readonly string[]): JsonObject => {
  const found = path.reduce<unknown>(
    (inner, key) => (isObject(inner as never) ? (inner as JsonObject)[key] : undefined),
    value,
  )
  if (!isObject(found as never)) throw new Error(`action.yml has no ${path.join(".")}`)
  return found as JsonObject
}
const declared = objectAt(written, "inputs") as { readonly [name: string]: { readonly default?: string } }
const step = (objectAt(written, "runs").steps as unknown as { run: string; env: { [name: string]: string } }[])[0] as {
  readonly run: string
  readonly env: { readonly [name: string]: string }
}

describe("action.yml", () => {
  test("hands every input over by the environment, and none to the shell", () => {
    expect(step.run).not.toContain("${{")
    const handed = Object.values(step.env).map((value) => value.replace(/^\$\{\{ inputs\.(.*) \}\}$/, "$1"))
    expect(handed).toEqual(Object.keys(declared))
    for (const name of Object.keys(declared))
      expect(Object.keys(step.env)).toContain(`CODEWRIGHT_INPUT_${name.toUpperCase().replaceAll("-", "_")}`)
  })

  test("has a budget unless another is given", () => {
    expect(declared["max-budget-usd"]?.default).toBe("5")
  })

  test("its outputs are the ones that the script sets", async () => {
    using place = openPlace()
    const { outputs } = await act(place, { prompt: "hello" }, ["Hi."], root)
    expect(Object.keys(outputs)).toEqual(Object.keys(objectAt(written, "outputs")))
  })
})

test.concurrent("prints the answer and sets outputs", async () => {
  using place = openPlace()
  const run = await act(place, { prompt: "hello", model: "haiku" }, ["Good day.\nAgain."])
  expect(run).toMatchObject({ code: 0 })
  expect(run.log).toContain("\nGood day.\nAgain.\n")
  expect(run.outputs).toMatchObject({ result: "Good day.\nAgain.", "is-error": "false", "structured-output": "" })
  expect(Number(run.outputs.cost)).toBeGreaterThan(0)
  expect(run.outputs["session-id"]).toMatch(/^[0-9a-f-]{36}$/)
  expect(bodyOf(run.requests[0]).model).toBe("claude-haiku-5-5")
})

test.concurrent("inputs are never run, never flags, and never mention files", async () => {
  using place = openPlace({ "secret.txt": "hidden" })
  const prompt = "--model=x $(touch made) `touch made`; touch made\n@secret.txt"
  const inputs = { prompt, "append-system-prompt": '"; touch made; "', "allowed-tools": "Read\n$(touch made)" }
  const run = await act(place, inputs, ["Fine."])
  expect(run.code).toBe(0)
  expect(promptOf(run.requests[0])).toBe(prompt)
  expect(JSON.stringify(bodyOf(run.requests[0]))).not.toContain("hidden")
  expect(await Bun.file(join(place.work, "made")).exists()).toBe(false)
})

test.concurrent("what the model says is no command to the runner, and sets no output of its own", async () => {
  using place = openPlace()
  const answer = "::set-output name=x::y\nEOF\nis-error<<EOF\nfalse"
  const { log, outputs } = await act(place, { prompt: "hello" }, [answer])
  expect(outputs.result).toBe(answer)
  expect(outputs["is-error"]).toBe("false")
  const [, seal] = /^::stop-commands::(\S+)\n/.exec(log) ?? []
  expect(log.indexOf(`::${seal}::`, 40)).toBeGreaterThan(log.indexOf("::set-output"))
})

test.concurrent("commands of the agent do not see the inputs, nor the files of the runner", async () => {
  using place = openPlace()
  const env = { content: [{ tool: "Bash", input: { command: "env" } }] }
  const run = await act(place, { prompt: "look", "allowed-tools": "Bash(env)" }, [env, "Done."])
  const sent = JSON.stringify(bodyOf(run.requests[1]))
  expect(sent).toContain("PATH=")
  expect(sent).not.toContain("CODEWRIGHT_INPUT")
  expect(sent).not.toContain("GITHUB_OUTPUT")
})

test.concurrent("a run that fails fails the step, unless it is not to", async () => {
  using place = openPlace()
  const inputs = { prompt: "hello", "max-budget-usd": "0" }
  const run = await act(place, inputs)
  expect(run).toMatchObject({ code: 1, requests: [] })
  expect(run.outputs["is-error"]).toBe("true")
  expect(run.outputs.result).toStartWith("The budget does not cover the next request")
  expect(run.log.trimEnd().split("\n").at(-1)).toStartWith("::error title=Codewright::The budget does not cover")
  const tolerated = await act(place, { ...inputs, "fail-on-error": "false" })
  expect(tolerated).toMatchObject({ code: 0 })
  expect(tolerated.outputs["is-error"]).toBe("true")
})

test.concurrent("mistakes in the inputs are named before anything starts", async () => {
  using place = openPlace()
  const said = async (inputs: { readonly [name: string]: string }) => {
    const { code, outputs, requests } = await act(place, inputs)
    expect({ code, error: outputs["is-error"], requests }).toEqual({ code: 1, error: "true", requests: [] })
    return outputs.result
  }
  expect(await said({})).toBe("Give the input prompt or prompt-file.")
  expect(await said({ prompt: "x", "prompt-file": "y" })).toBe("Give prompt or prompt-file, not both.")
  expect(await said({ "prompt-file": "none.md" })).toStartWith("The prompt-file cannot be read: ENOENT")
  expect(await said({ prompt: "x", "working-directory": "nowhere" })).toEndWith("nowhere does not exist.")
  expect(await said({ prompt: "x", trust: "maybe" })).toBe("The input trust is true or false, not 'maybe'.")
  expect(await said({ prompt: "x", "max-turns": "many" })).toContain("--max-turns takes a whole number")
})

test.concurrent("a prompt in a file, another folder, and the session continued in a later step", async () => {
  using place = openPlace({ "sub/todo.md": "Say hello." })
  const first = await act(place, { "prompt-file": "todo.md", "working-directory": "sub" }, ["Hello."])
  expect(promptOf(first.requests[0])).toBe("Say hello.")
  const resume = first.outputs["session-id"] ?? ""
  const second = await act(place, { prompt: "again", resume, "working-directory": "sub" }, ["Hello again."])
  expect(second.outputs).toMatchObject({ result: "Hello again.", "session-id": resume })
  expect(JSON.stringify(bodyOf(second.requests[0]))).toContain("Say hello.")
})

test.concurrent("with a schema, the answer is an output of its own", async () => {
  using place = openPlace()
  const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] }
  const call = { content: [{ tool: "StructuredOutput", input: { n: 3 } }] }
  const { code, outputs } = await act(place, { prompt: "count", "json-schema": JSON.stringify(schema) }, [call])
  expect(code).toBe(0)
  expect(outputs["structured-output"]).toBe('{"n":3}')
})
