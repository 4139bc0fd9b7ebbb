/** A small real loop around the demo: asks the simulator over HTTP, carries out its calls on real files, until it is done. */

import { setDefaultTimeout } from "bun:test"
import { cp, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { jsonOf, open, post } from "../open.ts"

// Real tests are run in a real folder; a busy machine is no failure.
setDefaultTimeout(300_000)

export interface Played {
  /** What was called, in order: the tool and what it was about. */
  readonly calls: readonly string[]
  /** How many calls each reply made. */
  readonly perReply: readonly number[]
  readonly said: readonly string[]
  readonly last: string
}

export interface Workshop extends AsyncDisposable {
  readonly folder: string
  readonly play: (task: string, options?: PlayOptions) => Promise<Played>
}

export interface PlayOptions {
  readonly tools?: readonly string[]
  /** What a call is refused with, if it is. */
  readonly deny?: (tool: string, input: JsonObject) => string | undefined
  readonly thinking?: boolean
}

interface Outcome {
  readonly text: string
  readonly failed?: boolean
}

const sample = join(import.meta.dir, "../../../../sample")
const allTools = ["Read", "Edit", "Glob", "Grep", "Bash", "TodoWrite"]

/** A copy of the sample, or a folder with these files. */
export async function openWorkshop(files?: { readonly [path: string]: string }): Promise<Workshop> {
  const folder = await mkdtemp(join(tmpdir(), "workshop-"))
  if (files === undefined) await cp(sample, folder, { recursive: true })
  for (const [path, text] of Object.entries(files ?? {})) await Bun.write(join(folder, path), text)
  return {
    folder,
    play: (task, options = {}) => play(folder, task, options),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}

async function play(
  folder: string,
  task: string,
  { tools = allTools, deny, thinking = false }: PlayOptions,
): Promise<Played> {
  await using sim = await open()
  const messages: JsonValue[] = [
    {
      role: "user",
      content: [
        { type: "text", text: "<system-reminder>fix nothing</system-reminder>" },
        { type: "text", text: task },
      ],
    },
  ]
  const calls: string[] = []
  const said: string[] = []
  const perReply: number[] = []
  for (let step = 0; step < 30; step++) {
    const message = await jsonOf(
      await post(sim.url, {
        model: "sim",
        max_tokens: 4_000,
        ...(thinking && { thinking: { type: "enabled", budget_tokens: 1_024 } }),
        tools: tools.map((name) => ({ name, input_schema: { type: "object" } })),
        messages,
      }),
    )
    if (message.type !== "message") throw new Error(JSON.stringify(message))
    const content = Array.isArray(message.content) ? message.content.filter(isObject) : []
    said.push(content.map(({ text }) => String(text ?? "")).join(""))
    const uses = content.filter(({ type }) => type === "tool_use")
    perReply.push(uses.length)
    if (message.stop_reason === "end_turn") return { calls, perReply, said, last: said.at(-1) ?? "" }
    const results: JsonObject[] = []
    for (const { id, name, input } of uses) {
      const given = isObject(input) ? input : {}
      calls.push(describe(String(name), given))
      const denied = deny?.(String(name), given)
      const { text, failed } =
        denied === undefined ? await carryOut(folder, String(name), given) : { text: denied, failed: true }
      results.push({ type: "tool_result", tool_use_id: id ?? "", content: text, ...(failed && { is_error: true }) })
    }
    messages.push({ role: "assistant", content }, { role: "user", content: results })
  }
  throw new Error(`no end after 30 steps: ${said.at(-1)}`)
}

const describe = (tool: string, { file_path, command, pattern }: JsonObject): string =>
  [tool, file_path ?? command ?? pattern].filter(Boolean).join(" ")

async function carryOut(folder: string, tool: string, input: JsonObject): Promise<Outcome> {
  const path = join(folder, String(input.file_path ?? ""))
  switch (tool) {
    case "Read":
      return read(path)
    case "Edit":
      return edit(path, input)
    case "Glob":
      return { text: [...new Bun.Glob(String(input.pattern)).scanSync({ cwd: folder })].join("\n") || "No files found" }
    case "LS":
      return { text: tree(folder) }
    case "Grep":
      return grep(folder, input)
    case "Bash":
      return bash(folder, String(input.command))
    case "TodoWrite":
      return { text: "The list is kept." }
    default:
      return { text: `There is no ${tool}.`, failed: true }
  }
}

async function read(path: string): Promise<Outcome> {
  const file = Bun.file(path)
  if (!(await file.exists())) return { text: "There is no such file.", failed: true }
  const lines = (await file.text()).replace(/\n$/, "").split("\n")
  return { text: lines.map((line, index) => `${String(index + 1).padStart(6)}\t${line}`).join("\n") }
}

async function edit(path: string, { old_string, new_string, replace_all }: JsonObject): Promise<Outcome> {
  const text = await Bun.file(path).text()
  const count = text.split(String(old_string)).length - 1
  if (count === 0 || (count > 1 && replace_all !== true))
    return { text: `The text occurs ${count} times.`, failed: true }
  await Bun.write(
    path,
    text.replaceAll(String(old_string), () => String(new_string)),
  )
  return { text: "Edited." }
}

function grep(folder: string, { pattern, output_mode }: JsonObject): Outcome {
  const { stdout } = Bun.spawnSync(["grep", output_mode === "content" ? "-rnP" : "-rlP", String(pattern), "."], {
    cwd: folder,
  })
  const text = stdout.toString().replaceAll(/^\.\//gm, "").trim()
  return { text: text || "No matches found" }
}

async function bash(folder: string, command: string): Promise<Outcome> {
  // What `npm test` comes to; npm itself takes longer than all the tests together.
  const direct = command === "npm test" ? "node --test" : command
  const child = Bun.spawn(["bash", "-c", `${direct} 2>&1`], { cwd: folder, env: { PATH: process.env["PATH"] } })
  const output = await new Response(child.stdout).text()
  const code = await child.exited
  return code === 0 ? { text: output } : { text: `Exit code ${code}\n${output}`, failed: true }
}

function tree(folder: string): string {
  const files = [...new Bun.Glob("**/*").scanSync({ cwd: folder })].map((file) => relative("", file)).toSorted()
  const lines: string[] = [`- ${folder}/`]
  let opened = ""
  for (const file of files) {
    const [name = "", inside] = file.split("/")
    if (inside !== undefined && opened !== name) lines.push(`- ${name}/`)
    opened = inside === undefined ? "" : name
    lines.push(inside === undefined ? `- ${name}` : `  - ${inside}`)
  }
  return lines.join("\n")
}
