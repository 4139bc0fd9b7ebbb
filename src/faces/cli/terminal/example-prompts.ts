/** Prompts to try in a folder, from the names of its files and the scripts of its package.json. */

import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { isObject } from "#lib/json.ts"

/** A larger one is not read just for this. */
const mostBytes = 200_000

export async function examplePrompts(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => [])
  const files = new Set(names)
  const has = (...some: readonly string[]): boolean => some.some((name) => files.has(name))
  if (names.every((name) => name.startsWith("."))) return ["Start a new project here: ask me what it is for"]
  const tests = await testWords(folder, has)
  return [
    "Explain this repository: what it does and how it is built",
    ...(tests === undefined ? [] : [tests]),
    has(".git") ? "Summarize the last ten commits" : "Find something worth improving, and propose a change",
  ]
}

async function testWords(folder: string, has: (...names: readonly string[]) => boolean): Promise<string | undefined> {
  const words = "Run the tests and fix what fails"
  if (has("Cargo.toml", "go.mod", "pytest.ini", "tox.ini", "pom.xml", "build.gradle")) return words
  if (has("package.json")) return (await hasTestScript(join(folder, "package.json"))) ? words : undefined
  return has("test", "tests", "spec") ? words : undefined
}

async function hasTestScript(path: string): Promise<boolean> {
  const file = Bun.file(path)
  if (file.size > mostBytes) return false
  const made: unknown = await file.json().catch(() => undefined)
  const scripts = isObject(made) ? made.scripts : undefined
  const test = isObject(scripts) ? scripts.test : undefined
  // What npm init writes is no test.
  return typeof test === "string" && !test.includes("no test specified")
}
