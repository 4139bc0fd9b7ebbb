/** Changes of permissions that come with a client's answer: every kind, to every destination. */

import { expect } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import type { PermissionUpdate } from "claude-agent-sdk-0.3"
import { bash, calls, read } from "../../kit/script.ts"
import { type Message, openWorld, resultOf, type Version, withBoth, type World } from "./drive.ts"

type Destination = PermissionUpdate["destination"]

/** Runs these commands; the first question is answered with yes and these updates, each further one with yes. */
async function answered(
  version: Version,
  steps: readonly Parameters<typeof calls>[0][],
  updates: (world: World) => readonly PermissionUpdate[],
  { files, trusted = true }: { readonly files?: Record<string, string>; readonly trusted?: boolean } = {},
) {
  const world = await openWorld(version, {
    scenario: [...steps.map((step) => calls(step)), "Done."],
    files: { "../outside/a.txt": "outside\n", ...files },
    ...(trusted && { env: { CODEWRIGHT_TRUST: "1" } }),
  })
  const asked: string[] = []
  const told = await world.run("go", {
    canUseTool(_tool, input) {
      asked.push(String(input["command"] ?? input["file_path"]))
      const updatedPermissions = asked.length === 1 ? [...updates(world)] : []
      return Promise.resolve({ behavior: "allow", updatedInput: input, updatedPermissions })
    },
  })
  const settings = (path: string): unknown => {
    const whole = `${world.place.work}/${path}`
    return existsSync(whole) ? JSON.parse(readFileSync(whole, "utf8")) : undefined
  }
  const warnings = told.messages.flatMap(({ subtype, content }) => (subtype === "informational" ? [content] : []))
  const modes = told.messages.flatMap(({ subtype, permissionMode }) => (subtype === "status" ? [permissionMode] : []))
  return { world, told, asked, settings, warnings, modes }
}

const rule = (
  type: "addRules" | "replaceRules" | "removeRules",
  behavior: "allow" | "ask" | "deny",
  contents: readonly string[],
  destination: Destination,
): PermissionUpdate => ({
  type,
  behavior,
  destination,
  rules: contents.map((ruleContent) => ({ toolName: "Bash", ruleContent })),
})

const fileOf: { readonly [destination in Destination]?: string } = {
  userSettings: "../state/settings.json",
  projectSettings: ".codewright/settings.json",
  localSettings: ".codewright/settings.local.json",
}
const destinations: readonly Destination[] = ["userSettings", "projectSettings", "localSettings", "session", "cliArg"]

for (const destination of destinations) {
  const file = fileOf[destination]

  withBoth(`rules are added to ${destination} and count at once`, async (version) => {
    const { world, told, asked, settings, warnings } = await answered(
      version,
      [bash("touch a"), bash("touch b"), bash("mkdir c")],
      () => [rule("addRules", "allow", ["touch:*"], destination), rule("addRules", "deny", ["mkdir:*"], destination)],
    )
    await using _ = world
    expect(asked).toEqual(["touch a"])
    expect(resultOf(told).permission_denials).toMatchObject([{ tool_input: { command: "mkdir c" } }])
    expect(warnings).toEqual([])
    for (const path of Object.values(fileOf))
      expect(settings(path)).toEqual(
        path === file ? { permissions: { allow: ["Bash(touch:*)"], deny: ["Bash(mkdir:*)"] } } : undefined,
      )
  })

  withBoth(`rules of ${destination} are replaced and removed`, async (version) => {
    const { world, asked, settings } = await answered(
      version,
      [bash("touch a"), bash("touch b"), bash("mkdir c"), bash("rmdir c")],
      () => [
        rule("addRules", "allow", ["touch:*", "mkdir:*", "rmdir:*"], destination),
        rule("replaceRules", "allow", ["mkdir:*", "rmdir:*"], destination),
        rule("removeRules", "allow", ["rmdir:*"], destination),
      ],
    )
    await using _ = world
    expect(asked).toEqual(["touch a", "touch b", "rmdir c"])
    if (file !== undefined) expect(settings(file)).toEqual({ permissions: { allow: ["Bash(mkdir:*)"] } })
  })

  withBoth(`a mode is set, and kept in ${destination} if that is a file`, async (version) => {
    const { world, modes, settings } = await answered(version, [bash("touch a"), bash("touch b")], () => [
      { type: "setMode", mode: "acceptEdits", destination },
    ])
    await using _ = world
    expect(modes).toEqual(["acceptEdits"])
    if (file !== undefined) expect(settings(file)).toEqual({ permissions: { defaultMode: "acceptEdits" } })
  })

  withBoth(`folders are added to and removed from ${destination}`, async (version) => {
    const outside = (world: World) => `${world.place.path}/outside`
    const added = await answered(version, [bash("touch a"), read("../outside/a.txt")], (world) => [
      { type: "addDirectories", directories: [outside(world)], destination },
    ])
    await using world = added.world
    expect(added.asked).toEqual(["touch a"])
    if (file !== undefined)
      expect(added.settings(file)).toEqual({ permissions: { additionalDirectories: [outside(world)] } })

    const removed = await answered(version, [bash("touch a"), read("../outside/a.txt")], (other) => [
      { type: "addDirectories", directories: [outside(other)], destination },
      { type: "removeDirectories", directories: [outside(other)], destination },
    ])
    await using _ = removed.world
    expect(removed.asked).toEqual(["touch a", "../outside/a.txt"])
    if (file !== undefined) expect(removed.settings(file)).toEqual({ permissions: { additionalDirectories: [] } })
  })
}

withBoth("rules of the ecosystem's files are replaced and removed where they are", async (version) => {
  const { world, asked, settings } = await answered(
    version,
    [bash("touch a"), bash("rmdir b"), bash("mkdir c")],
    () => [
      rule("replaceRules", "allow", ["mkdir:*"], "projectSettings"),
      rule("removeRules", "allow", ["rmdir:*"], "localSettings"),
    ],
    {
      files: {
        ".claude/settings.json": JSON.stringify({ permissions: { allow: ["Bash(ls:*)", "Bash(mkdir:*)"] } }),
        ".claude/settings.local.json": JSON.stringify({ permissions: { allow: ["Bash(rmdir:*)"] } }),
      },
    },
  )
  await using _ = world
  expect(asked).toEqual(["touch a", "rmdir b"])
  expect(settings(".claude/settings.json")).toEqual({ permissions: { allow: ["Bash(mkdir:*)"] } })
  expect(settings(".claude/settings.local.json")).toEqual({ permissions: { allow: [] } })
})

withBoth(
  "a folder that nobody trusts is not made to permit more, and an unreadable update is no yes",
  async (version) => {
    const untrusted = await answered(
      version,
      [bash("touch a"), bash("touch b")],
      () => [rule("addRules", "allow", ["touch:*"], "localSettings")],
      { trusted: false },
    )
    await using _ = untrusted.world
    expect(untrusted.asked).toEqual(["touch a", "touch b"])
    expect(untrusted.warnings).toEqual([expect.stringContaining("not trusted")])
    expect(untrusted.settings(".codewright/settings.local.json")).toBeUndefined()

    for (const update of [
      { type: "addRules", behavior: "allow", rules: [{ toolName: "Bash" }], destination: "nowhere" },
      { type: "setMode", mode: "wild", destination: "session" },
      { type: "addDirectories", directories: "all", destination: "session" },
      { type: "grantAll" },
    ]) {
      const wrong = await answered(version, [bash("touch a")], () => [update as never])
      await using world = wrong.world
      expect(resultOf(wrong.told) as Message).toMatchObject({ permission_denials: [{ tool_name: "Bash" }] })
      expect(existsSync(`${world.place.work}/a`)).toBe(false)
    }
  },
)
