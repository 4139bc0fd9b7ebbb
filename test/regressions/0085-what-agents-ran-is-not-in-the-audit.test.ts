/**
 * That a command "ran as shown" was proven for the main session alone. What agents and members of a team run because somebody allowed it is in
 * the audit as well, under the session they work in, with what was edited.
 */

import { expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { JsonObject } from "#lib/json.ts"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { openServed, type Served } from "../kit/fleet/served.ts"
import { teamStory } from "../kit/fleet/team-story.ts"
import { bash, calls, says, use } from "../kit/script.ts"

/** Allows everything, and edits what is about `edited.txt`; returns what the audit says once the session is over. */
async function audited(server: Served, operator: string): Promise<readonly (readonly [string, string, unknown])[]> {
  const created = await server.ask(operator, "POST", "/api/sessions", {
    prompt: "Do it",
    title: "Audited",
    workspace: { path: server.work },
  })
  const id = String(created["id"])
  for (;;) {
    const { approvals } = await server.ask(operator, "GET", "/api/approvals?state=open")
    for (const open of approvals as readonly (JsonObject & { readonly action: { readonly input: JsonObject } })[]) {
      const command = String(open.action.input["command"])
      const input = { ...open.action.input, command: command.replace("risky", "safer") }
      const path = `/api/sessions/${String(open["sessionId"])}/approvals/${String(open["id"])}`
      const edits = command.includes("risky") ? { input } : {}
      await server.ask(operator, "POST", path, { decision: "allow", digest: open["digest"], ...edits })
    }
    if ((await server.ask(operator, "GET", `/api/sessions/${id}`))["stage"] === "completed") break
    await Bun.sleep(50)
  }
  const file = await fetch(`${server.url}/api/audit/file?format=jsonl`, {
    headers: { authorization: `Bearer ${server.token}` },
  })
  return (await file.text())
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as JsonObject & { readonly details?: JsonObject })
    .flatMap(({ who, what, details }) =>
      details?.["command"] === undefined ? [] : [[String(who), String(what), details["command"]] as const],
    )
}

const mine = "one-operator"
const agent = (prompt: string, more: JsonObject = {}) =>
  use("Task", { description: "work", prompt, subagent_type: "general-purpose", ...more })

test("agents, agents of agents, and agents in the background", async () => {
  const scenario: ScenarioFunction = ({ messages }) => {
    const first = JSON.stringify(messages[0]?.content ?? [])
    const results = JSON.stringify(messages).split('"tool_result"').length - 1
    if (first.includes("DEEPEST")) return results === 0 ? calls(bash("echo deep >> deep.txt")) : says("Deep done.")
    if (first.includes("BEHIND")) return results === 0 ? calls(bash("echo behind >> behind.txt")) : says("Behind done.")
    if (first.includes("OUTER")) {
      if (results === 0) return calls(bash("echo risky >> outer.txt"))
      return results === 1 ? calls(agent("DEEPEST")) : says("Outer done.")
    }
    if (results === 0) return calls(agent("OUTER", { subagent_type: "boss" }))
    if (results === 1) return calls(agent("BEHIND", { run_in_background: true }))
    return results === 2 ? calls(bash("echo main >> main.txt")) : says("Done.")
  }
  await using server = await openServed(scenario, {
    database: "any",
    prepare({ state }) {
      mkdirSync(join(state, "agents"))
      const boss = "---\nname: boss\ndescription: Has others work.\ntools: Task, Bash\n---\nHave others work.\n"
      writeFileSync(join(state, "agents", "boss.md"), boss)
    },
  })
  const rows = await audited(server, await server.invite("operator"))
  const of = (file: string): readonly unknown[] => rows.filter(([, , command]) => String(command).includes(file))
  expect(of("outer.txt")).toEqual([
    [mine, "approved; input edited", "echo risky >> outer.txt"],
    [mine, "ran as edited", "echo safer >> outer.txt"],
  ])
  for (const name of ["deep", "behind", "main"])
    expect(of(`${name}.txt`)).toEqual([
      [mine, "approved", `echo ${name} >> ${name}.txt`],
      [mine, "ran as shown", `echo ${name} >> ${name}.txt`],
    ])
}, 300_000)

test("members of a team", async () => {
  const story = teamStory({
    tasks: ["", ""],
    isChain: true,
    members: ["mia", "noah"],
    work: (id) => `echo risky${id} >> team.txt`,
  })
  await using server = await openServed(story, { database: "any" })
  const rows = await audited(server, await server.invite("operator"))
  for (const id of ["1", "2"]) {
    const about = rows.filter(([, , command]) => String(command).includes(`${id} >> team.txt`))
    expect(about.map(([who, what]) => [who, what])).toEqual([
      [mine, "approved; input edited"],
      [mine, "ran as edited"],
    ])
    expect(about.map(([, , command]) => String(command).split(" >>")[0])).toEqual([
      `echo risky${id}`,
      `echo safer${id}`,
    ])
  }
}, 300_000)
