/** Keys in a session: masked in every export and in the debug log, whole in what the model works with. */

import { expect, test } from "bun:test"
import { mkdtempSync, readdirSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { keepCrashReport } from "#faces/cli/doctor/crash-report.ts"
import { openPlace, runCodewright } from "../../kit/run-codewright.ts"

// Made of pieces, so that no scanner takes this file for a leak.
const letters = (length: number): string => Array.from({ length }, (_, i) => "aB3cD4eF5gH6"[i % 12]).join("")
const github = `ghp_${letters(36)}`
const line = letters(64)
const privateKey = `-----BEGIN RSA PRIVATE KEY-----\n${`${line}\n`.repeat(5)}${letters(21)}==\n-----END RSA PRIVATE KEY-----\n`

test.concurrent("all formats of an export, and the debug log", async () => {
  using place = openPlace({
    "keys.txt": `token=${github}\n${privateKey}`,
    "pieces.sh": `printf ${github.slice(0, 12)}; sleep 1.5; printf ${github.slice(12)}; sleep 1.5\n`,
  })
  const session = "11111111-1111-4111-8111-111111111111"
  const run = await runCodewright({
    place,
    argv: ["-p", `use ${github}`, "--session-id", session, "--debug", "--allowed-tools", "Edit", "Bash(sh pieces.sh)"],
    scenario: [
      { content: [{ tool: "Read", input: { file_path: "keys.txt" } }] },
      // In two pieces, with a moment between them.
      { content: [{ tool: "Bash", input: { command: "sh pieces.sh" } }] },
      { content: [{ tool: "Write", input: { file_path: "copy.txt", content: `${github}\n${privateKey}` } }] },
      `The key is ${github}.`,
    ],
  })
  expect(run.code).toBe(0)
  // What the model works with stays whole.
  expect(JSON.stringify(run.requests.at(-1))).toContain(github)
  expect(run.stdout).toBe(`The key is ${github}.\n`)

  const documents: { [name: string]: string } = {}
  for (const format of ["md", "html", "json", "patch"]) {
    const exported = await runCodewright({ place, argv: ["sessions", "export", session, "--format", format] })
    expect([format, exported.code, exported.stderr.includes("masked")]).toEqual([format, 0, true])
    documents[format] = exported.stdout
  }
  const logs = join(place.state, "logs")
  documents.debug = readdirSync(logs)
    .map((name) => readFileSync(join(logs, name), "utf8"))
    .join("")
  for (const [name, text] of Object.entries(documents)) {
    const leaks = [github, github.slice(12), line, letters(21)].filter((secret) => text.includes(secret))
    expect([name, leaks]).toEqual([name, []])
    expect([name, text.includes(`${github.slice(0, 8)}****`)]).toEqual([name, true])
    expect([name, text.includes("BEGIN RSA PRIVATE KEY")]).toEqual([name, true])
  }
  expect(() => JSON.parse(documents.json ?? "")).not.toThrow()
})

test.concurrent("an export without keys says nothing of masks and is what it was", async () => {
  using place = openPlace({ "a.txt": "one\n" })
  const session = "22222222-2222-4222-8222-222222222222"
  await runCodewright({ place, argv: ["-p", "hello", "--session-id", session], scenario: ["Hello."] })
  const exported = await runCodewright({ place, argv: ["sessions", "export", session, "--format", "json"] })
  expect([exported.code, exported.stderr]).toEqual([0, ""])
  const { entries } = JSON.parse(exported.stdout)
  const shown = await runCodewright({ place, argv: ["sessions", "show", session, "--json"] })
  expect(JSON.parse(shown.stdout).entries).toEqual(entries)
})

test.concurrent("doctor, whose output is pasted into reports", async () => {
  using place = openPlace()
  place.write("../state/settings.json", JSON.stringify({ permissions: { allow: [`Bash(curl ${github}`] } }))
  for (const argv of [["doctor"], ["doctor", "--json"]]) {
    const run = await runCodewright({ place, argv })
    expect(run.stdout).toContain(`Bash(curl ${github.slice(0, 8)}****`)
    expect(run.stdout).not.toContain(github)
  }
})

test("a crash report holds no key", () => {
  const state = mkdtempSync(join(tmpdir(), "codewright-crash-"))
  const report = keepCrashReport(state, "s", new Error(`request with ${github} failed`))
  const text = report.ok ? readFileSync(report.value, "utf8") : ""
  expect(text).toContain(`${github.slice(0, 8)}****`)
  expect(text).not.toContain(github)
})

test.concurrent(
  "keys in lower-case variables do not reach commands, and no project sets a proxy in any case",
  async () => {
    const settings = { env: { Https_Proxy: "http://evil.test", all_proxy: "http://evil.test", FROM_PROJECT: "yes" } }
    using place = openPlace({ ".codewright/settings.json": JSON.stringify(settings) })
    const run = await runCodewright({
      place,
      argv: ["--trust", "-p", "go", "--allowed-tools", "Bash(env)"],
      env: { openai_api_key: "lower-secret", Aws_Secret_Access_Key: "mixed-secret", KEPT: "kept-value" },
      scenario: [{ content: [{ tool: "Bash", input: { command: "env" } }] }, "Done."],
    })
    expect(run.code).toBe(0)
    const sent = JSON.stringify(run.requests.at(-1))
    const seen = ["lower-secret", "mixed-secret", "evil.test", "kept-value", "FROM_PROJECT=yes"].filter((text) =>
      sent.includes(text),
    )
    expect(seen).toEqual(["kept-value", "FROM_PROJECT=yes"])
  },
)
