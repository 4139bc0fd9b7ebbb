/** `codewright sandbox`: what it explains, and commands that really run under it. */

import { expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"

const sandbox = async (place: Place, ...argv: readonly string[]) => {
  const { code, stdout, stderr } = await runCodewright({ place, argv: ["sandbox", ...argv] })
  return { code, stdout, stderr }
}
const settings = (place: Place, value: object): void =>
  void place.write(join(place.state, "settings.json"), JSON.stringify(value))

test.concurrent("explain --json has the shape that other programs rely on", async () => {
  using place = openPlace({ "a.txt": "a" })
  settings(place, {
    sandbox: {
      enabled: true,
      excludedCommands: ["docker *"],
      filesystem: { allowWrite: ["~/out"] },
      network: { allowedDomains: ["registry.npmjs.org"], deniedDomains: ["evil.example"] },
    },
    permissions: { deny: ["Read(./secrets/**)"] },
  })
  const { code, stdout } = await sandbox(place, "explain", "--json", "--command", "docker run x")
  expect(code).toBe(0)
  const said = JSON.parse(stdout)
  const file = join(place.state, "settings.json")
  expect(said).toMatchObject({
    backend: "bubblewrap",
    works: true,
    enabled: true,
    policy: "workspace",
    command: { confined: false, because: `"docker *" in sandbox.excludedCommands in ${file}` },
    notes: [],
  })
  expect(said.network).toEqual({
    mode: "domains",
    allowed: [{ host: "registry.npmjs.org", because: `sandbox.network.allowedDomains in ${file}` }],
    denied: [{ host: "evil.example", because: `sandbox.network.deniedDomains in ${file}` }],
    others: "ask",
    unixSockets: [],
  })
  expect(said.writes).toEqual([
    { path: place.work, because: "the working folder" },
    { path: join(place.home, "out"), because: `sandbox.filesystem.allowWrite in ${file}` },
    { path: expect.stringContaining("codewright-sandbox-"), because: "temporary files of the session" },
  ])
  expect(said.deniedReads).toContainEqual({ path: join(place.home, ".ssh"), because: "SSH keys" })
  expect(said.deniedReads).toContainEqual({
    path: join(place.work, "secrets"),
    because: "the deny rule Read(./secrets/**) (user settings)",
  })
})

const off = "outside the sandbox: the sandbox is off (sandbox.enabled)."
const on = "in the sandbox: the sandbox is on."
const reads = "in the sandbox: the command only reads, so it runs without asking."

test.concurrent.each<[string, string, object]>([
  ["ls", reads, {}],
  ["make", `${off} You would be asked first.`, {}],
  ["make", off, { permissions: { allow: ["Bash(make)"] } }],
  ["make", `${on} You would be asked first.`, { sandbox: { enabled: true } }],
  ["make", on, { sandbox: { enabled: true, autoAllowBashIfSandboxed: true } }],
  // What reads unasked needs no rule, so a rule does not let it out; another command it does.
  ["ls", reads, { permissions: { allow: ["Bash(ls:*)"] } }],
  ["docker ps", off, { permissions: { allow: ["Bash(docker:*)"] } }],
  ["docker ps", on, { sandbox: { enabled: true }, permissions: { allow: ["Bash(docker:*)"] } }],
  // Excluded are only lines of which each part is.
  [
    "make && make test",
    'outside the sandbox: "make" in sandbox.excludedCommands in ',
    { sandbox: { enabled: true, excludedCommands: ["make"] } },
  ],
  ["make && touch a", on, { sandbox: { enabled: true, excludedCommands: ["make"] }, permissions: { allow: ["Bash"] } }],
  [
    "make && touch a",
    "outside the sandbox: every part of the command is in sandbox.excludedCommands.",
    { sandbox: { enabled: true, excludedCommands: ["make", "touch *"] }, permissions: { allow: ["Bash"] } },
  ],
])("explain --command %s: %s", async (command, says, values) => {
  using place = openPlace()
  settings(place, values)
  const { stdout } = await sandbox(place, "explain", "--command", command)
  expect(stdout).toStartWith(`The command would run ${says}`)
})

test.concurrent("explain --command: what is denied does not run at all", async () => {
  using place = openPlace()
  settings(place, { permissions: { deny: ["Bash(make:*)"] } })
  const { stdout } = await sandbox(place, "explain", "--command", "make")
  expect(stdout).toStartWith("The command would not run. The rule Bash(make:*) (user settings) denies it")
  expect(stdout).toContain("Sandbox: off. bubblewrap works here.")
})

test.concurrent("a project can only tighten", async () => {
  const wide = {
    sandbox: {
      enabled: false,
      autoAllowBashIfSandboxed: true,
      excludedCommands: ["make"],
      allowUnsandboxedCommands: true,
      hooks: false,
      caches: "private",
      limits: { processes: 100_000 },
      filesystem: { allowWrite: ["/opt"], allowRead: ["~/.ssh"], denyRead: ["own-secret"], denyWrite: ["dist"] },
      network: {
        allowedDomains: ["evil.example"],
        allowUnixSockets: ["/run/docker.sock"],
        deniedDomains: ["a.example"],
      },
    },
    permissions: { allow: ["WebFetch(domain:evil.example)"] },
  }
  using place = openPlace({
    ".codewright/settings.json": JSON.stringify(wide),
    ".claude/settings.local.json": JSON.stringify({ sandbox: wide.sandbox }),
  })
  settings(place, { sandbox: { enabled: true } })
  const env = { CODEWRIGHT_TRUST: "1" }
  const run = await runCodewright({ place, env, argv: ["sandbox", "explain", "--json", "--command", "make"] })
  const said = JSON.parse(run.stdout)
  expect(said).toMatchObject({ enabled: true, command: { confined: true }, replaced: [], limits: { processes: 2048 } })
  expect(said.writes.map(({ path }: { path: string }) => path)).not.toContain("/opt")
  const hidden: readonly string[] = said.deniedReads.map(({ path }: { path: string }) => path)
  expect(hidden).toEqual(expect.arrayContaining([join(place.home, ".ssh"), join(place.work, "own-secret")]))
  expect(said.network).toMatchObject({ allowed: [], denied: [{ host: "a.example" }], unixSockets: [] })
  expect(said.held.map(({ path }: { path: string }) => path)).toContain(join(place.work, "dist"))
  expect(run.stderr).toContain("These are never taken from a project's files:")
})

test.concurrent("a project puts hooks and servers into the sandbox, and never takes them out", async () => {
  const said = async (project: object, user: object): Promise<string> => {
    using place = openPlace({ ".codewright/settings.json": JSON.stringify({ sandbox: project }) })
    settings(place, { sandbox: user })
    return (await sandbox(place, "explain")).stdout
  }
  const line = "Also confined: command hooks and MCP servers over stdio.\n"
  expect(await said({ hooks: true, mcp: true }, {})).toContain(line)
  expect(await said({ hooks: false, mcp: false }, { hooks: true, mcp: true })).toContain(line)
  expect(await said({}, { enabled: true })).not.toContain("Also confined")
})

test.concurrent("a switch that cannot be read is on, and that is said", async () => {
  using place = openPlace()
  settings(place, { sandbox: { enabled: "yes" } })
  const outside = join(place.home, "outside")
  const { code, stdout, stderr } = await sandbox(place, "run", "--", "sh", "-c", `echo ran; : > ${outside}`)
  expect({ code, stdout }).toEqual({ code: 2, stdout: "ran\n" })
  expect(existsSync(outside)).toBe(false)
  expect(stderr).toContain('"sandbox.enabled" must be true or false, but it is "yes". It is read as true.')
  const prompt = await runCodewright({
    place,
    argv: ["-p", "hello", "--allowed-tools", "Bash"],
    scenario: [{ content: [{ tool: "Bash", input: { command: `echo ran; : > ${outside}` } }] }, "hi"],
  })
  expect(prompt).toMatchObject({ code: 0, stdout: "hi\n" })
  expect(existsSync(outside)).toBe(false)
  expect(prompt.stderr).toContain("sandbox.enabled")
})

test.concurrent("run: the output and the exit code of the command", async () => {
  using place = openPlace()
  expect(await sandbox(place, "run", "sh", "-c", "echo out; echo err >&2; exit 7")).toEqual({
    code: 7,
    stdout: "out\n",
    stderr: "err\n",
  })
  expect(await sandbox(place, "run", "--", "sh", "-c", "kill -9 $$")).toMatchObject({ code: 137 })
  expect(await sandbox(place, "run", "--", "no-such-program")).toEqual({
    code: 127,
    stdout: "",
    stderr: "error: The program no-such-program was not found.\n",
  })
  expect(await sandbox(place, "run")).toMatchObject({ code: 125, stdout: "" })
})

test.concurrent("run: the workspace can be written, and nothing else; what it would run later is held", async () => {
  using place = openPlace({
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/config": "",
    ".git/objects/x": "",
    "a.txt": "a",
  })
  place.write(join(place.home, ".ssh/id"), "secret")
  place.write(join(place.state, "projects/other/log.jsonl"), "another project")
  const tries = [
    "echo b > a.txt",
    "echo x > ../outside",
    "echo x > .git/config",
    "mkdir -p .git/hooks && echo x > .git/hooks/pre-commit",
    "echo x > .codewright/settings.json",
    "mv .git elsewhere",
    `cat ${place.home}/.ssh/id`,
    `cat ${place.state}/projects/other/log.jsonl`,
  ]
  const script = tries.map((line, i) => `(${line}) 2>/dev/null && echo ${i}`).join("\n")
  const { stdout } = await sandbox(place, "run", "--", "sh", "-c", `${script}\ntrue`)
  // What lies beside the workspace is in /tmp here, which is private inside.
  expect(stdout.split("\n").filter((line) => line !== "1")).toEqual(["0", ""])
  expect(readFileSync(join(place.work, "a.txt"), "utf8")).toBe("b\n")
  expect(existsSync(join(place.path, "outside"))).toBe(false)
  expect(readdirSync(place.work).sort()).toEqual([".git", "a.txt"])
  expect(readdirSync(join(place.work, ".git")).sort()).toEqual(["HEAD", "config", "objects"])
})

test.concurrent("bad input", async () => {
  using place = openPlace()
  expect(await sandbox(place, "expalin")).toEqual({
    code: 1,
    stdout: "",
    stderr: "error: sandbox takes explain or run [--] <command>. Run codewright sandbox --help for details.\n",
  })
  expect((await sandbox(place, "--help")).stdout).toContain("run [--] <command>")
})
