/** `codewright import`, from folders as the other agents write them. */

import { describe, expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { putFiles, type SampleSource, sampleSources, secret } from "../../kit/import-sources.ts"
import { openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"

/** Every file below a folder with its content, and when it was changed. */
function tree(root: string, ending = ""): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => `${path} ${statSync(path).mtimeMs} ${readFileSync(path, "latin1")}`)
}

const ids = (place: Place): readonly string[] =>
  tree(join(place.state, "projects"), ".jsonl").map((line) => /([0-9a-f-]{36})\.jsonl/.exec(line)?.[1] ?? "")

function sampled({ put }: SampleSource): Place {
  const place = openPlace()
  put(place.home, place.work)
  return place
}

describe.each([...sampleSources])("from $name", (source) => {
  const argv = ["import", source.name]

  test("a preview writes nothing, an import what it showed, a second one nothing more; the source stays as it is", async () => {
    using place = sampled(source)
    const before = tree(place.home)
    for (const more of [[], ["--dry-run"], ["--dry-run", "--yes"]]) {
      const preview = await runCodewright({ argv: [...argv, ...more], place })
      expect(preview.code).toBe(0)
      expect(preview.stdout).toContain("new")
      expect(preview.stdout).not.toContain(secret)
      expect(existsSync(join(place.state, "settings.json"))).toBe(false)
      expect(existsSync(join(place.state, "projects"))).toBe(false)
    }
    const done = await runCodewright({ argv: [...argv, "--yes"], place })
    expect(done).toMatchObject({ code: 0, stderr: "" })
    expect(done.stdout).toMatch(/Imported (\d+) of \1\./)
    const written = tree(place.state)
    expect(written.join("\n")).not.toContain(secret)
    const again = await runCodewright({ argv: [...argv, "--yes"], place })
    expect(again.code).toBe(0)
    expect(again.stdout).toContain("Nothing new to import.")
    expect(tree(place.state)).toEqual(written)
    expect(tree(place.home)).toEqual(before)
  })

  test("its conversations are listed, exported and resumed, with no rights and nothing run again", async () => {
    using place = sampled(source)
    await runCodewright({ argv: [...argv, "--yes"], place })
    const listed = await runCodewright({ argv: ["sessions", "list"], place })
    for (const id of ids(place)) expect(listed.stdout).toContain(id)
    const kinds = tree(join(place.state, "projects"), ".jsonl").join("\n")
    expect(kinds).not.toMatch(/"subtype":"(grant|decision|question|answer|mode|begun|folders)"/)
    const sent: string[] = []
    for (const id of ids(place)) {
      const exported = await runCodewright({ argv: ["sessions", "export", id, "-f", "md"], place })
      expect(exported.code).toBe(0)
      // Neither the servers nor the model that were imported are there.
      const run = await runCodewright({
        argv: ["-p", "Continue", "--resume", id, "--model", "opus", "--strict-mcp-config"],
        place,
        scenario: ["Done."],
      })
      expect(run).toMatchObject({ code: 0, stdout: "Done.\n" })
      sent.push(JSON.stringify(run.requests[0]?.body))
    }
    for (const text of source.said) expect(sent.join("\n")).toContain(text)
    expect(sent.join("\n")).not.toContain("another branch")
    expect(existsSync(join(place.work, "made-by-import"))).toBe(false)
  })
})

test("what Codex allows and runs becomes rules, servers and files of ours", async () => {
  using place = sampled(sampleSources[1] as SampleSource)
  const { stdout } = await runCodewright({ argv: ["import", "codex", "--yes"], place })
  expect(JSON.parse(readFileSync(join(place.state, "settings.json"), "utf8"))).toEqual({
    model: "openai/gpt-5",
    sandbox: { enabled: true },
    permissions: { allow: ["Bash(gh pr list:*)", "Bash(gh run list:*)"], deny: ["Bash(rm:*)"] },
  })
  expect(JSON.parse(readFileSync(join(place.state, "mcp.json"), "utf8"))).toEqual({
    mcpServers: {
      docs: { type: "stdio", command: "docs-server", args: ["--fast"], env: { API_TOKEN: "${API_TOKEN}", MODE: "x" } },
    },
  })
  expect(stdout).toContain("docs: docs-server --fast; set API_TOKEN in your environment")
  expect(stdout).toContain("server leaky: its command or address contains a secret")
  expect(stdout).toContain('approval_policy = "never": it lets things happen without a question')
  expect(readFileSync(join(place.state, "agents/writer.md"), "utf8")).toContain('description: "Writes"')
  const rules = await runCodewright({ argv: ["permissions", "list"], place })
  expect(rules.stdout).toContain("Bash(gh pr list:*)")
  const withSecrets = await runCodewright({ argv: ["import", "codex", "--with-secrets"], place })
  expect(withSecrets.stdout).toContain("+ leaky: srv\n")
  expect(withSecrets.stdout).not.toContain("abc")
})

test("what you have stays, and is named", async () => {
  using place = sampled(sampleSources[1] as SampleSource)
  putFiles(place.state, {
    "settings.json": '{\n  // mine\n  "model": "opus"\n}\n',
    "mcp.json": JSON.stringify({ mcpServers: { docs: { command: "other" } } }),
    "commands/review.md": "My own\n",
    "AGENTS.md": "Mine\n",
  })
  const { stdout, code } = await runCodewright({ argv: ["import", "codex", "--yes"], place })
  expect(code).toBe(0)
  expect(stdout).toContain('= model: "openai/gpt-5" (model = "gpt-5"; yours is "opus")')
  expect(stdout).toContain("= docs: docs-server")
  expect(stdout).toContain("review.md (command")
  const settings = readFileSync(join(place.state, "settings.json"), "utf8")
  expect(settings).toContain("// mine")
  expect(settings).toContain('"model": "opus"')
  expect(readFileSync(join(place.state, "commands/review.md"), "utf8")).toBe("My own\n")
  expect(readFileSync(join(place.state, "AGENTS.md"), "utf8")).toBe("Mine\n")
  expect(readFileSync(join(place.state, "rules/from-codex.md"), "utf8")).toBe("Be brief.\n")
  expect(JSON.parse(readFileSync(join(place.state, "mcp.json"), "utf8")).mcpServers.docs).toEqual({ command: "other" })
})

test("hostile files are named, and the rest is imported", async () => {
  using place = openPlace()
  const folder = join(place.home, ".codex")
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`
  putFiles(place.path, { "outside/key.md": secret })
  putFiles(folder, {
    "config.toml": `model = \n${deep}`,
    "prompts/good.md": "Good\n",
    "prompts/..%2f..md": "x",
    "prompts/-rf.md": "x",
    "agents/bad.toml": "\u0000\u0001",
    "rules/x.rules": 'prefix_rule(pattern=["a) Bash(*"], decision="allow")\nprefix_rule(pattern=[["',
    "sessions/rollout-x-11111111-1111-4111-8111-111111111111.jsonl": `${deep}\nnull\n7\n{"type":"session_meta","payload":{"cwd":"../../etc"}}\n{"type":"response_item","payload":{"type":"message","role":"user","content":"hi"}}\n`,
    "sessions/rollout-x-22222222-2222-4222-8222-222222222222.jsonl": `{"type":"session_meta","payload":{"cwd":"/gone/../gone"}}\n{"timestamp":"never","type":"response_item","payload":{"type":"message","role":"user","content":[{"text":"hi \\ud800"}]}}\n{"type":"response_item","payload":{"type":"function_call","name":"${"x".repeat(500)}","arguments":"{\\"a\\":${deep.slice(0, 1000)}","call_id":null}}\n`,
  })
  symlinkSync(join(place.path, "outside/key.md"), join(folder, "prompts/linked.md"))
  symlinkSync(join(place.path, "outside"), join(folder, "skills"))
  Bun.spawnSync(["mkfifo", join(folder, "AGENTS.md"), join(folder, "prompts/pipe.md")])
  const { code, stdout } = await runCodewright({ argv: ["import", "codex", "--yes"], place })
  expect(code).toBe(0)
  expect(stdout).toContain("config.toml: not TOML")
  expect(stdout).toContain("its folder is not an absolute path")
  expect(stdout).toMatch(/Imported 2 of 2\./)
  expect(readdirSync(join(place.state, "commands"))).toEqual(["good.md"])
  expect(ids(place)).toEqual(["22222222-2222-4222-8222-222222222222"])
  expect(tree(place.state).join("\n")).not.toContain(secret)
})

test("an unknown source, and a folder with nothing in it", async () => {
  using place = openPlace()
  expect((await runCodewright({ argv: ["import", "codx"], place })).stderr).toContain("did you mean codex?")
  expect((await runCodewright({ argv: ["import"], place })).stderr).toContain(
    "import needs a source: claude, codex, gemini, opencode.",
  )
  const empty = await runCodewright({ argv: ["import", "gemini", "--from", "/nowhere"], place })
  expect(empty).toMatchObject({ code: 0 })
  expect(empty.stdout).toContain("Nothing to import.")
})
