/** Answers of a client that change permissions: each kind of change, each destination, and what is refused. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { existsSync } from "node:fs"
import type { PermissionUpdate } from "#agent/words/permission.ts"
import { openTestSession, type TestSession, type TestSessionOptions } from "../../kit/open-test-session.ts"
import { bash, calls, says } from "../../kit/script.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

setDefaultTimeout(300_000)

/** A session in which every question is allowed, the first one with these updates. */
function answering(
  commands: readonly string[],
  updates: readonly PermissionUpdate[],
  more: Partial<TestSessionOptions> = {},
) {
  const asked: string[] = []
  const opened = openTestSession({
    script: [...commands.map((command) => calls(bash(command))), says("Done.")],
    mode: "default",
    allow: [],
    place: { trusted: true },
    answers({ ask }) {
      if (ask.kind === "permission") asked.push(String(ask.input.command))
      return { kind: "allow", ...(asked.length === 1 && { updates }) }
    },
    ...more,
  })
  return { asked, opened }
}

const rules = (
  act: "add" | "replace" | "remove",
  behavior: "allow" | "ask" | "deny",
  list: string[],
  destination: PermissionUpdate["destination"] = "session",
): PermissionUpdate => ({ kind: "rules", act, behavior, rules: list, destination })
const warnings = (t: TestSession) =>
  t.entries().flatMap((entry) => (entry.kind === "notice" && entry.level === "warning" ? [entry.text] : []))
const settings = (t: TestSession, name: string): unknown =>
  existsSync(t.path(name)) ? JSON.parse(t.read(name)) : undefined

test("several rules at once: what is allowed is not asked again, what is denied does not run", async () => {
  const { asked, opened } = answering(
    ["touch a", "touch b", "mkdir c"],
    [rules("add", "allow", ["Bash(touch:*)"]), rules("add", "deny", ["Bash(mkdir:*)"])],
  )
  await using t = await opened
  await t.prompt("go")
  expect(asked).toEqual(["touch a"])
  expect(existsSync(t.path("b"))).toBe(true)
  expect(existsSync(t.path("c"))).toBe(false)
  expect(await t.ask({ type: "grants" })).toEqual([
    { rule: "Bash(touch:*)", destination: "session" },
    { rule: "Bash(mkdir:*)", destination: "session", behavior: "deny" },
  ])
})

test("rules of the session are replaced and removed, also for a session that is resumed", async () => {
  const { asked, opened } = answering(
    ["touch a"],
    [
      rules("add", "allow", ["Bash(touch:*)", "Bash(mkdir:*)"]),
      rules("replace", "allow", ["Bash(mkdir:*)"]),
      rules("add", "deny", ["Bash(rm:*)"]),
      rules("remove", "deny", ["Bash(rm:*)"]),
    ],
  )
  await using t = await opened
  await t.prompt("go")
  expect(await t.ask({ type: "grants" })).toEqual([{ rule: "Bash(mkdir:*)", destination: "session" }])
  await using u = await t.reopen()
  expect(await u.ask({ type: "grants" })).toEqual([{ rule: "Bash(mkdir:*)", destination: "session" }])
  expect(asked).toEqual(["touch a"])
})

test("rules, a mode and folders are saved where the answer says, and count at once", async () => {
  const { asked, opened } = answering(
    ["touch a", "touch b", "mkdir c"],
    [
      rules("add", "allow", ["Bash(touch:*)"], "local settings"),
      rules("add", "deny", ["Bash(mkdir:*)"], "project settings"),
      rules("add", "ask", ["Bash(curl:*)"], "user settings"),
      { kind: "mode", mode: "acceptEdits", destination: "local settings" },
    ],
  )
  await using t = await opened
  await t.prompt("go")
  expect(asked).toEqual(["touch a"])
  expect(existsSync(t.path("c"))).toBe(false)
  expect(settings(t, ".codewright/settings.local.json")).toEqual({
    permissions: { allow: ["Bash(touch:*)"], defaultMode: "acceptEdits" },
  })
  expect(settings(t, ".codewright/settings.json")).toEqual({ permissions: { deny: ["Bash(mkdir:*)"] } })
  expect(settings(t, "../state/settings.json")).toEqual({ permissions: { ask: ["Bash(curl:*)"] } })
  expect((await t.ask({ type: "state" })).mode).toBe("acceptEdits")
  expect(warnings(t)).toEqual([])
})

test("folders are added and removed, for the session and in a file", async () => {
  using outside = temporaryFolder()
  const folder = outside.path
  const change = (act: "add" | "remove", destination: PermissionUpdate["destination"]): PermissionUpdate => ({
    kind: "folders",
    act,
    folders: [folder],
    destination,
  })
  const both = answering(["touch a"], [change("add", "local settings")])
  await using t = await both.opened
  await t.prompt("go")
  expect(settings(t, ".codewright/settings.local.json")).toEqual({ permissions: { additionalDirectories: [folder] } })
  expect(t.entries().filter(({ kind }) => kind === "folders")).toMatchObject([{ added: [folder] }])
  const gone = answering(["touch a"], [change("add", "session"), change("remove", "session")])
  await using u = await gone.opened
  await u.prompt("go")
  await using v = await u.reopen()
  expect((await v.ask({ type: "about" })).addedFolders).toEqual([])
})

test("in a folder that is not trusted, nothing that permits more is saved; what is stricter is", async () => {
  const { opened } = answering(
    ["touch a", "touch b"],
    [
      rules("add", "allow", ["Bash(touch:*)"], "local settings"),
      { kind: "mode", mode: "acceptEdits", destination: "project settings" },
      rules("add", "deny", ["Bash(mkdir:*)"], "local settings"),
    ],
    { place: { trusted: false } },
  )
  await using t = await opened
  await t.prompt("go")
  expect(warnings(t)).toEqual([
    "Permissions were not changed: this folder is not trusted, so nothing that permits more is saved in its local settings.",
    "Permissions were not changed: this folder is not trusted, so nothing that permits more is saved in its project settings.",
  ])
  expect(settings(t, ".codewright/settings.local.json")).toEqual({ permissions: { deny: ["Bash(mkdir:*)"] } })
  expect((await t.ask({ type: "state" })).mode).toBe("default")
})

test("bypass without permission, deny rules in files, and rules that allow anything are refused with a reason", async () => {
  const { opened } = answering(
    ["touch a"],
    [
      { kind: "mode", mode: "bypassPermissions", destination: "session" },
      { kind: "mode", mode: "bypassPermissions", destination: "user settings" },
      rules("remove", "deny", ["Bash(rm:*)"], "user settings"),
      rules("add", "allow", ["Bash(bash:*)"]),
    ],
  )
  await using t = await opened
  await t.prompt("go")
  expect(warnings(t)).toEqual([
    "Permissions were not changed: bypass mode is not available in this session.",
    "Permissions were not changed: bypass mode is never saved in settings.",
    "Permissions were not changed: deny rules are removed from the user settings only by editing the file.",
    expect.stringContaining("would allow anything"),
  ])
  expect((await t.ask({ type: "state" })).mode).toBe("default")
  expect(existsSync(t.path("a"))).toBe(true)
})

test("an allow rule is removed from its file, and asks again at once", async () => {
  const { asked, opened } = answering(
    ["touch a", "touch b"],
    [
      rules("add", "allow", ["Bash(touch:*)", "Bash(mkdir:*)"], "local settings"),
      rules("remove", "allow", ["Bash(touch:*)"], "local settings"),
    ],
  )
  await using t = await opened
  await t.prompt("go")
  expect(asked).toEqual(["touch a", "touch b"])
  expect(settings(t, ".codewright/settings.local.json")).toEqual({ permissions: { allow: ["Bash(mkdir:*)"] } })
})

test("rules and folders are removed from the files of the ecosystem too, but never from those in the home", async () => {
  const theirs = (permissions: object) => JSON.stringify({ permissions })
  const { asked, opened } = answering(
    ["touch a", "touch b"],
    [
      rules("remove", "allow", ["Bash(touch:*)"], "project settings"),
      rules("remove", "allow", ["Bash(mkdir:*)"], "local settings"),
      { kind: "folders", act: "remove", folders: ["/more"], destination: "project settings" },
      rules("remove", "allow", ["Bash(id)"], "user settings"),
    ],
    {
      files: {
        ".claude/settings.json": theirs({
          allow: ["Bash(touch:*)", "Bash(pwd)"],
          additionalDirectories: ["/more", "/x"],
        }),
        ".claude/settings.local.json": theirs({ allow: ["Bash(mkdir:*)"] }),
        "../.claude/settings.json": theirs({ allow: ["Bash(id)"] }),
      },
    },
  )
  await using t = await opened
  await t.prompt("go")
  expect(asked).toEqual(["touch a", "touch b"])
  expect(settings(t, ".claude/settings.json")).toEqual({
    permissions: { allow: ["Bash(pwd)"], additionalDirectories: ["/x"] },
  })
  expect(settings(t, ".claude/settings.local.json")).toEqual({ permissions: { allow: [] } })
  expect(settings(t, "../.claude/settings.json")).toEqual({ permissions: { allow: ["Bash(id)"] } })
  expect(warnings(t)).toEqual([expect.stringContaining(".claude/settings.json, which Codewright never changes.")])
})
