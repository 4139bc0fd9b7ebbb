/** What an editor brings along, and what it is shown besides text: plans, forms of servers, attached files, terminals. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { systemClock } from "#lib/clock.ts"
import { openSessionMailbox, ringBell } from "#team/sessions/mailbox.ts"
import { openEditor, openWorld } from "../../kit/acp/editor.ts"
import { picture } from "../../kit/picture.ts"
import { bash, calls, read, says, use, write } from "../../kit/script.ts"

const planner: ScenarioFunction = (request, { request: number }) => {
  const text = request.messages.map(({ content }) => JSON.stringify(content)).join("\n")
  const file = /plan file is (\S+\.md)/.exec(text)?.[1] ?? ""
  const steps = [
    calls(write(file, "# Plan\n\n1. Write b.txt\n2. Read it again\n")),
    calls(use("ExitPlanMode", {})),
    calls(write("b.txt", "b\n")),
  ]
  return steps[number] ?? says("Done.")
}

test("a plan is shown, approved in the editor, and changes the mode", async () => {
  await using world = await openWorld(planner)
  await using editor = await openEditor(world, { permission: async () => "approve:acceptEdits" })
  const { sessionId } = await editor.newSession()
  await editor.call("session/set_mode", { sessionId, modeId: "plan" })
  expect(await editor.prompt(sessionId, "plan it")).toBe("end_turn")
  expect(editor.updatesOf("plan")[0]).toMatchObject({
    entries: [{ content: "Write b.txt" }, { content: "Read it again" }],
  })
  expect(editor.permissions).toMatchObject([{ toolCall: { kind: "switch_mode", title: "Approve this plan?" } }])
  expect(editor.updatesOf("current_mode_update").at(-1)).toMatchObject({ currentModeId: "acceptEdits" })
  expect(await world.place.read("b.txt")).toBe("b\n")
})

test("a server of the editor asks with a form; folders of the editor may be read", async () => {
  const tool = "mcp__all__trigger-elicitation-request"
  const modules = join(import.meta.dir, "../../../node_modules/@modelcontextprotocol")
  await using world = await openWorld([calls(use(tool, {})), calls(read("../more/c.txt")), says("Done.")])
  world.place.write("../more/c.txt", "from the other folder\n")
  await using editor = await openEditor(world, {
    argv: ["--allowed-tools", tool],
    env: { ENABLE_TOOL_SEARCH: "false" },
    form: () => ({ action: "accept", content: { name: "Ada", check: true } }),
  })
  const args = [join(modules, "server-everything/dist/index.js"), "stdio"]
  const { sessionId } = await editor.newSession({
    mcpServers: [{ name: "all", command: "node", args, env: [] }],
    additionalDirectories: [join(world.place.path, "more")],
  })
  expect(await editor.prompt(sessionId, "ask me")).toBe("end_turn")
  expect(editor.forms).toMatchObject([{ mode: "form", requestedSchema: { properties: { name: { type: "string" } } } }])
  const sent = JSON.stringify(world.requests().at(-1)?.body)
  expect(sent).toContain("Ada")
  expect(sent).toContain("from the other folder")
  expect(editor.permissions).toEqual([])
})

test("attached files, pictures and links go with the prompt; only what was typed is a command", async () => {
  await using world = await openWorld([says("Seen."), says("Seen again.")], { "a.txt": "linked text\n" })
  await using editor = await openEditor(world)
  const { sessionId } = await editor.newSession()
  const uri = `file://${world.place.work}/a.txt`
  const prompt = [
    { type: "text", text: "Look at " },
    { type: "resource_link", uri, name: "a.txt" },
    { type: "text", text: " and this: " },
    { type: "resource", resource: { uri: "file:///elsewhere/b.txt", text: "/clear\n@/etc/hostname attached text" } },
    { type: "image", mimeType: "image/png", data: picture },
  ]
  expect(await editor.call("session/prompt", { sessionId, prompt })).toEqual({ stopReason: "end_turn" })
  const sent = JSON.stringify(world.requests()[0]?.body)
  for (const text of ["linked text", "attached text", "/elsewhere/b.txt", picture.slice(0, 40)])
    expect(sent).toContain(text)
  expect(editor.text()).toBe("Seen.")
})

test("an editor that draws terminals is sent the output as it comes, and the exit code", async () => {
  await using world = await openWorld([calls(bash("echo one; exit 3")), says("Failed.")])
  await using editor = await openEditor(world, {
    argv: ["--allowed-tools", "Bash"],
    capabilities: { _meta: { terminal_output: true } },
  })
  const { sessionId } = await editor.newSession()
  expect(await editor.prompt(sessionId, "run it")).toBe("end_turn")
  const updates = editor.updatesOf("tool_call_update")
  const begun = updates.find(({ content }) => JSON.stringify(content ?? "").includes('"terminal"'))
  expect(begun).toMatchObject({ status: "in_progress", content: [{ type: "terminal" }] })
  const data = JSON.stringify(updates)
  expect(data).toContain('"data":"one')
  expect(data).toContain('"exit_code":3')
})

test("a folder that is not trusted is asked about in a form: a no leaves its hooks out, and a yes is kept", async () => {
  const hooks = { SessionStart: [{ hooks: [{ type: "command", command: "touch ran.txt" }] }] }
  await using world = await openWorld([says("Hello."), says("Hello."), says("Hello.")], {
    ".claude/settings.json": JSON.stringify({ hooks }),
  })
  let answer = "no"
  await using editor = await openEditor(world, {
    env: { CODEWRIGHT_TRUST: "" },
    form: () => ({ action: "accept", content: { trust: answer } }),
  })
  const ran = async (): Promise<boolean> => {
    const { sessionId } = await editor.newSession()
    await editor.prompt(sessionId, "hello")
    return existsSync(join(world.place.work, "ran.txt"))
  }
  expect(await ran()).toBe(false)
  expect(editor.forms).toMatchObject([{ mode: "form", message: expect.stringContaining("touch ran.txt") }])
  // In one connection a no is not asked about again; another one asks.
  expect(await ran()).toBe(false)
  expect(editor.forms).toHaveLength(1)
  await editor.end()
  answer = "yes"
  await using other = await openEditor(world, {
    env: { CODEWRIGHT_TRUST: "" },
    form: () => ({ action: "accept", content: { trust: answer } }),
  })
  const { sessionId } = await other.newSession()
  await other.prompt(sessionId, "hello")
  expect(existsSync(join(world.place.work, "ran.txt"))).toBe(true)
})

test("sessions in an editor write to others; what comes in is shown before the model answers it", async () => {
  await using world = await openWorld([
    calls(use("ListSessions", {})),
    says("Nobody there."),
    says("The answer is 42."),
  ])
  await using editor = await openEditor(world, {})
  const { sessionId } = await editor.newSession()
  expect(await editor.prompt(sessionId, "who is there?")).toBe("end_turn")
  expect(editor.permissions).toEqual([])
  const sent = JSON.stringify(world.requests().at(-1)?.body)
  for (const name of ["ListSessions", "MessageSession", "Workflow"]) expect(sent).toContain(`"name":"${name}"`)
  const mailbox = openSessionMailbox(world.place.state, systemClock)
  const message = {
    from: "shell",
    to: sessionId,
    type: "message",
    text: "What is the answer?",
    summary: "ada",
  } as const
  expect(await mailbox.send(message, "call-1")).toMatchObject({ ok: true })
  ringBell(world.place.state, sessionId)
  while (!editor.text().includes("42.")) await Bun.sleep(20)
  expect(editor.text()).toMatch(/Nobody there\.\s+> Message from .*ada[^]*What is the answer\?[^]*The answer is 42\./)
})
