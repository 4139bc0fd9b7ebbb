/** Commands about the program itself, as text: what every face can show. */

import { describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"

const key = "sk-ant-api03-secret00000000000000wxyz"

/** What a command says, or why it was refused. */
async function said(
  place: Place,
  line: string,
  { flags = [], ...more }: { readonly env?: { [name: string]: string }; readonly flags?: readonly string[] } = {},
): Promise<string> {
  const { stdout, stderr } = await runCodewright({ place, argv: ["-p", line, ...flags], ...more })
  return `${stdout}${stderr}`
}

describe("/status", () => {
  test.concurrent("says what the session runs with, and which key from where, masked", async () => {
    using place = openPlace({ ".codewright/settings.json": "{}" })
    place.write(join(place.state, "settings.json"), '{ "theme": "light" }')
    place.write(join(place.state, "key.json"), JSON.stringify({ version: 1, apiKey: key }))
    const text = await said(place, "/status", { env: { ANTHROPIC_API_KEY: "sk-ant-env-00001234" } })
    expect(text).toMatch(/^Version {6}Codewright \d/m)
    expect(text).toMatch(/^Session {6}[0-9a-f-]{36}$/m)
    expect(text).toMatch(/^Model {8}claude-\S+ \(http:\/\/127\.0\.0\.1:\d+\)$/m)
    expect(text).toContain("Key          ANTHROPIC_API_KEY (…1234)")
    expect(text).toContain("key.json (…wxyz) is not used, because ANTHROPIC_API_KEY is set.")
    expect(text).toContain("Trust        not trusted")
    expect(text).toContain("Mode         ask")
    expect(text).toContain("Sandbox      off")
    expect(text).toContain(join(place.state, "settings.json"))
    expect(text).toContain("MCP servers  none")
    expect(text).not.toContain(key)
  })
})

describe("/doctor", () => {
  test.concurrent("checks what codewright doctor checks, and so the model, the servers and the disk", async () => {
    using place = openPlace()
    const text = await said(place, "/doctor")
    for (const name of ["program", "settings", "ripgrep", "model", "disk space", "logs"])
      expect(text).toMatch(new RegExp(`^(ok|note|wrong) +${name}: `, "m"))
    expect(text).toMatch(/^ok +model: claude-.*127\.0\.0\.1:\d+ accepts it$/m)
    expect(text).toMatch(/GB free in /)
  })

  test.concurrent(
    "a model that cannot be reached and a server that does not start are wrong, with what to do",
    async () => {
      using place = openPlace()
      place.write(
        join(place.state, "mcp.json"),
        JSON.stringify({ mcpServers: { broken: { command: "/nowhere/at-all" } } }),
      )
      const run = await runCodewright({ place, argv: ["doctor"], env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9" } })
      expect(run.code).toBe(1)
      expect(run.stdout).toMatch(/^wrong model: 127\.0\.0\.1:9 could not be reached: .* Check the network/m)
      expect(run.stdout).toMatch(/^wrong MCP server broken: not available: /m)
    },
  )
})

describe("/config", () => {
  test.concurrent("lists, changes where it is set, and names the file", async () => {
    using place = openPlace({ ".codewright/settings.local.json": '{ "notifications": "off" }' })
    const user = join(place.state, "settings.json")
    expect(await said(place, "/config")).toMatch(/^ ?1\. +theme +like the terminal +default +Theme$/m)
    expect(await said(place, "/config theme light")).toStartWith(`Saved theme = light in ${user}.\n`)
    expect(JSON.parse(readFileSync(user, "utf8"))).toEqual({ theme: "light" })
    expect(await said(place, "/config notifications bell", { flags: ["--trust"] })).toBe(
      `Saved notifications = bell in ${join(place.work, ".codewright/settings.local.json")}.\n`,
    )
    expect(await said(place, "/config autoCompact off")).toStartWith("Saved autoCompact = off in ")
    expect(JSON.parse(readFileSync(user, "utf8"))).toEqual({ theme: "light", autoCompact: false })
  })

  test.concurrent("what is wrong is named, with the choices", async () => {
    using place = openPlace()
    expect(await said(place, "/config theme purple")).toBe(
      "theme is one of dark, light, dark-color-blind, light-color-blind, ansi, none, not purple.\n",
    )
    expect(await said(place, "/config cleanupPeriodDays soon")).toBe("cleanupPeriodDays is a whole number, not soon.\n")
    expect(await said(place, "/config themes x")).toBe("/config has no setting themes. Did you mean theme?\n")
    expect(existsSync(join(place.state, "settings.json"))).toBe(false)
  })
})

describe("/export", () => {
  test.concurrent("writes a new file in the format of its name, masked, and never over another", async () => {
    using place = openPlace()
    const first = await runCodewright({
      place,
      argv: ["-p", `my key is ${key}`, "--output-format", "json"],
      scenario: ["Noted."],
    })
    const id = JSON.parse(first.stdout).session_id as string
    const again = (line: string): Promise<string> => said(place, line, { flags: ["--resume", id] })
    expect(await again("/export out.md")).toBe(
      `Exported to ${join(place.work, "out.md")}. Keys and tokens in the file are masked.\n`,
    )
    expect(await place.read("out.md")).toContain("Noted.")
    expect(await place.read("out.md")).not.toContain(key)
    expect(await again("/export out.md")).toContain("already exists")
    expect(await again("/export html")).toMatch(
      /^Exported to .*\/exports\/conversation-\d{4}-\d\d-\d\d-[0-9a-f]{8}\.html\./,
    )
    expect(await again("/export out.pdf")).toStartWith("/export writes .md, .html and .json files, not '.pdf'.")
  })
})

test.concurrent("/stats draws use per day and model, and codewright sessions stats shares it", async () => {
  using place = openPlace()
  expect(await said(place, "/stats")).toStartWith("No usage since ")
  await runCodewright({ place, argv: ["-p", "hi"], scenario: ["Hello."] })
  const text = await said(place, "/stats 7")
  expect(text).toMatch(/^Since \d{4}-\d\d-\d\d in .*: 1 session, \S+ tokens, \$\d/)
  expect(text).toMatch(/^ {2}\d{4}-\d\d-\d\d {2}█{14} .* 1 session$/m)
  expect(text).toMatch(/^ {2}claude-\S+ +█{14} .* 100%$/m)
  expect(await said(place, "/stats never")).toStartWith("/stats takes a number of days")
  const outside = await runCodewright({ place, argv: ["sessions", "stats"] })
  expect(outside.stdout).toContain("Tokens per day")
})

test.concurrent("/bug writes a report with masked logs for the person alone, and sends nothing", async () => {
  using place = openPlace()
  const run = await runCodewright({ place, argv: ["-p", `/bug it hangs with ${key}`] })
  expect(run.stdout).toContain("Nothing was sent.")
  expect(run.requests.filter(({ body }) => body !== undefined)).toEqual([])
  const folder = join(place.state, "reports")
  const [name = ""] = readdirSync(folder)
  const report = readFileSync(join(folder, name), "utf8")
  for (const part of ["# Codewright problem report", "it hangs with", "## Status", "## Doctor", '"subtype":"queued"'])
    expect(report).toContain(part)
  expect(report).not.toContain(key)
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
})

test.concurrent("/login never takes a key as words, and says which key is in use", async () => {
  using place = openPlace()
  const text = await said(place, "/login", { env: { ANTHROPIC_API_KEY: "sk-ant-env-00001234" } })
  expect(text).toMatch(
    /^Ready\n {2}Anthropic +at 127\.0\.0\.1:\d+ \(ANTHROPIC_BASE_URL\) · key in ANTHROPIC_API_KEY \(…1234\)\nNeed a key\n {2}OpenAI +set OPENAI_API_KEY, or run \S*codewright login openai\n/,
  )
  expect(text).toMatch(/\nTo add or change a key, run \S*codewright login in another terminal\.\nThis session uses/)
  expect(await said(place, "/login sk-ant-typed")).toStartWith("Do not type the key after the command")
})

test.concurrent("/statusline shows, sets and turns off", async () => {
  using place = openPlace()
  expect(await said(place, "/statusline")).toStartWith("No status line command is set.")
  expect(await said(place, "/statusline ./line.sh")).toStartWith("Saved statusLine = ")
  expect(JSON.parse(readFileSync(join(place.state, "settings.json"), "utf8"))).toEqual({
    statusLine: { type: "command", command: "./line.sh" },
  })
  expect(await said(place, "/statusline")).toStartWith("Status line command: ./line.sh\nSet in ")
})

describe("/add-dir", () => {
  test.concurrent("what it cannot add is named", async () => {
    using place = openPlace({ "file.txt": "x" })
    mkdirSync(place.state, { recursive: true })
    expect(await said(place, "/add-dir")).toBe("Name the folder: /add-dir <folder>\n")
    expect(await said(place, "/add-dir file.txt")).toBe(`${join(place.work, "file.txt")} is not a folder.\n`)
    expect(await said(place, "/add-dir .")).toBe(`${place.work} belongs to the workspace already.\n`)
    expect(await said(place, "/add-dir ~")).toContain("contains your whole home folder")
    expect(await said(place, `/add-dir ${place.state}`)).toContain("keeps its own files")
  })
})
