/**
 * The GitHub Action: runs one prompt and sets outputs. Inputs are data: nothing of them reaches a shell, and nothing the
 * model says reaches the runner as a command.
 */

import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { appendFileSync, readFileSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import { root, setUp } from "./setup.mjs"

const prefix = "CODEWRIGHT_INPUT_"
/** The runner takes no more than a megabyte for one output. */
const mostCharacters = 900_000

const input = (name) => (process.env[prefix + name.toUpperCase().replaceAll("-", "_")] ?? "").trim()
const say = (text) => process.stdout.write(`${text}\n`)

// The runner carries out lines such as `::set-env`, also those that a model or a command printed.
const seal = randomUUID()
say(`::stop-commands::${seal}`)

const cwd = resolve(input("working-directory") || ".")
const result = await outcome()
say(result.text)
setOutputs(result)
say(`::${seal}::`)
if (result.isError) say(`::error title=Codewright::${escaped(result.text)}`)
process.exitCode = result.isError && input("fail-on-error") !== "false" ? 1 : 0

async function outcome() {
  const wrong = misuse()
  if (wrong !== undefined) return failedWith(wrong)
  const prompt = readPrompt()
  if (typeof prompt !== "string") return failedWith(prompt.wrong)
  setUp()
  const { stdout, stderr, code } = await run(prompt)
  const message = lastJson(stdout)
  if (!message) return failedWith(stderr.trim() || `Codewright ended with code ${code} and without a result.`)
  const { result: answer, errors = [], structured_output: structured } = message
  return {
    text: answer ?? errors.join("\n"),
    isError: message.is_error === true || code !== 0,
    cost: message.total_cost_usd ?? 0,
    sessionId: message.session_id ?? "",
    structured: structured === undefined ? "" : JSON.stringify(structured),
  }
}

function failedWith(text) {
  return { text, isError: true, cost: 0, sessionId: "", structured: "" }
}

function misuse() {
  if (input("prompt") === "" && input("prompt-file") === "") return "Give the input prompt or prompt-file."
  if (input("prompt") !== "" && input("prompt-file") !== "") return "Give prompt or prompt-file, not both."
  if (!isFolder(cwd)) return `The working-directory ${cwd} does not exist.`
  const odd = ["trust", "fail-on-error"].find((name) => !["", "true", "false"].includes(input(name)))
  return odd && `The input ${odd} is true or false, not '${input(odd)}'.`
}

function isFolder(path) {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

function readPrompt() {
  const file = input("prompt-file")
  if (file === "") return input("prompt")
  try {
    return readFileSync(resolve(cwd, file), "utf8")
  } catch (error) {
    return { wrong: `The prompt-file cannot be read: ${error.message}` }
  }
}

/** The prompt goes in as standard input: it may be long, and text from strangers may not mention files. */
function run(prompt) {
  const child = spawn(join(root, "bin/codewright"), flags(), {
    cwd,
    env: environment(),
    stdio: ["pipe", "pipe", "pipe"],
  })
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal))
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text
    process.stderr.write(text)
  })
  // It may end before it has read all of it; its exit code says so.
  child.stdin.on("error", () => {})
  child.stdin.end(prompt)
  return new Promise((done) => {
    child.on("error", (error) => done({ stdout, stderr: error.message, code: 1 }))
    child.on("close", (code) => done({ stdout, stderr, code: code ?? 1 }))
  })
}

/** With `=`, so that a value that looks like a flag stays a value. */
function flags() {
  const values = [
    "model",
    "max-budget-usd",
    "max-turns",
    "permission-mode",
    "append-system-prompt",
    "json-schema",
    "settings",
    "resume",
  ].flatMap((name) => (input(name) === "" ? [] : [`--${name}=${input(name)}`]))
  const rules = ["allowed-tools", "disallowed-tools"].flatMap((name) =>
    input(name)
      .split("\n")
      .flatMap((line) => (line.trim() === "" ? [] : [`--${name}=${line.trim()}`])),
  )
  return ["-p", "--output-format=json", ...values, ...rules, ...(input("trust") === "true" ? ["--trust"] : [])]
}

/** What the agent's commands see: not our inputs, and no files by which a step talks to the runner. */
function environment() {
  const runner = ["GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"]
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith(prefix) && !runner.includes(name))
  const key = input("anthropic-api-key")
  return { ...Object.fromEntries(kept), ...(key !== "" && { ANTHROPIC_API_KEY: key }) }
}

function lastJson(text) {
  try {
    return JSON.parse(text.trimEnd().split("\n").at(-1))
  } catch {
    return undefined
  }
}

function setOutputs({ text, isError, cost, sessionId, structured }) {
  const file = process.env.GITHUB_OUTPUT
  if (file) {
    const outputs = {
      result: bounded(text),
      "structured-output": structured,
      cost,
      "session-id": sessionId,
      "is-error": isError,
    }
    // The end mark is not to be guessed: otherwise an answer could set outputs of its own.
    const mark = randomUUID()
    for (const [name, value] of Object.entries(outputs)) appendFileSync(file, `${name}<<${mark}\n${value}\n${mark}\n`)
  }
  const summary = process.env.GITHUB_STEP_SUMMARY
  if (summary)
    appendFileSync(summary, `${bounded(text)}\n\n_Codewright: $${cost.toFixed(4)}${isError ? ", failed" : ""}_\n`)
}

function bounded(text) {
  return text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters)}\n[shortened]`
}

function escaped(text) {
  return bounded(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")
}
