/** Members in processes of their own, as plain children: what they may do, what kills leave behind, and what a resume takes up. */

import { writeFileSync } from "node:fs"
import { isDeepStrictEqual } from "node:util"
import { join } from "node:path"
import { describe, expect, setDefaultTimeout, test } from "bun:test"
import type { TeamOverview } from "#agent/words/team.ts"
import { systemClock } from "#lib/clock.ts"
import { readTeamOverview } from "#team/overview.ts"
import { openPlace, type Place, type Run, runCodewright, type RunOptions } from "../../kit/run-codewright.ts"
import { bash, calls, says, use, write } from "../../kit/script.ts"
import { processesIn } from "../../kit/team/processes.ts"
import { cast, type Cast } from "../subagents/cast.ts"
import { add, create, done, heard, member, send, upon } from "./crew.ts"
import { until } from "../../kit/until.ts"

setDefaultTimeout(300_000)

const oks = Array.from({ length: 30 }, () => heard)
const argv = ["-p", "go", "--output-format", "json", "--teammate-mode", "process"]
const allowed = [...argv, "--allowedTools", "Bash,Write"]

async function play(
  place: Place,
  scenario: Cast,
  { more = allowed, ...rest }: Partial<RunOptions> & { readonly more?: readonly string[] } = {},
): Promise<Run> {
  const run = await runCodewright({ place, argv: more, scenario: cast(scenario), ...rest })
  await until(() => processesIn(place).length === 0)
  return run
}

const look = (place: Place): Promise<TeamOverview | undefined> => readTeamOverview(place.state, "crew", systemClock)

const pidOf = async (place: Place, name: string): Promise<number> =>
  until(async () => {
    const found = (await look(place))?.members.find((each) => each.name === name)
    const lead = (await look(place))?.members.find((each) => each.name === "lead")
    return found && found.pid !== lead?.pid && found.pid
  })

const isThere = (place: Place, file: string): Promise<unknown> => until(() => Bun.file(join(place.work, file)).exists())

/** Waits for a file of the project. */
const waits = (file: string): string => `while [ ! -e ${file} ]; do sleep 0.2; done`

describe("killed", () => {
  test("a member that crashes twice has left: its task goes back with a note, the lead hears of it, and another does it", async () => {
    using place = openPlace()
    const run = await play(
      place,
      {
        main: [calls(create), calls(add("one")), calls(member("ann")), says("ok"), calls(member("bob")), ...oks],
        ann: [calls(bash(`touch begun; ${waits("never")}`)), calls(bash(`touch again; ${waits("never")}`))],
        bob: [calls(done("1")), says("Done instead of ann.")],
      },
      {
        async during() {
          await isThere(place, "begun")
          process.kill(await pidOf(place, "ann"), "SIGKILL")
          await isThere(place, "again")
          process.kill(await pidOf(place, "ann"), "SIGKILL")
        },
      },
    )
    expect([run.code, run.stderr]).toEqual([0, "The process of ann ended. It was started again.\n"])
    const team = await look(place)
    expect(team?.tasks).toMatchObject([{ status: "completed", owner: "bob", attempts: 1 }])
    expect(team?.tasks[0]?.notes[0]).toMatch(/^ann did not finish it\. Its process ended\. .*The log is \S+\.jsonl\.$/)
    const told = team?.mail.filter(({ from, to }) => from === "ann" && to === "lead").map(({ text }) => text) ?? []
    expect(told.toSorted()[0]).toStartWith("#1 one: given back. ann did not finish it. Its process ended.")
    expect(told.toSorted()[1]).toStartWith("ann has left the team. Its process ended.")
  })

  test("a lead leaves no process behind: members finish their step, and go on with -c", async () => {
    using place = openPlace()
    const scenario: Cast = {
      main: [
        calls(create),
        calls(add("one", { owner: "ann" })),
        calls(member("ann"), member("bob")),
        calls(bash(`touch leading; ${waits("never")}`)),
        ...oks,
      ],
      ann: [
        calls(bash(`echo begun >> log.txt; touch begun; ${waits("go")}; echo step >> log.txt`)),
        calls(bash("echo done >> log.txt"), done("1")),
        says("All done."),
      ],
      bob: [says("Ready."), says("Nothing for me.")],
    }
    const killed = runCodewright({
      place,
      argv: allowed,
      scenario: cast(scenario),
      async during({ kill }) {
        await isThere(place, "begun")
        await isThere(place, "leading")
        // In the middle of a request it would ask again and again: the model goes with the run.
        await until(async () => (await look(place))?.mail.some(({ from }) => from === "bob"))
        kill("SIGKILL")
      },
    })
    expect((await killed).code).not.toBe(0)
    // One has nothing to do and ends; the other is in the middle of its step.
    const pids = (await look(place))?.members.map(({ pid }) => pid) ?? []
    await until(() => {
      const left = pids.map((pid) => processesIn(place).includes(pid))
      return isDeepStrictEqual(left, [false, true, false])
    })
    expect(await place.read("log.txt")).toBe("begun\n")
    writeFileSync(join(place.work, "go"), "")
    await until(() => processesIn(place).length === 0)
    // The step was finished, and the next one not begun.
    expect(await place.read("log.txt")).toBe("begun\nstep\n")
    expect((await look(place))?.tasks).toMatchObject([{ status: "in_progress", owner: "ann", attempts: 0 }])

    const run = await play(place, scenario, { more: ["-c", ...allowed] })
    expect(run.code).toBe(0)
    const team = await look(place)
    expect(team?.tasks).toMatchObject([{ status: "completed", owner: "ann", attempts: 0 }])
    expect(await place.read("log.txt")).toBe("begun\nstep\ndone\n")
    expect(team?.mail.filter(({ from }) => from === "ann").map(({ text }) => text)).toEqual([
      "#1 one: completed",
      "All done.",
    ])
  })

  test("a lead that is resumed while its member still works waits for that step, then starts it again", async () => {
    using place = openPlace()
    const scenario: Cast = {
      main: [calls(create), calls(add("one")), calls(member("ann")), calls(bash(waits("never"))), ...oks],
      ann: [
        calls(bash(`echo begun >> log.txt; touch begun; ${waits("go")}`)),
        calls(bash("echo done >> log.txt"), done("1")),
        says("All done."),
      ],
    }
    await runCodewright({
      place,
      argv: allowed,
      scenario: cast(scenario),
      async during({ kill }) {
        await isThere(place, "begun")
        kill("SIGKILL")
      },
    })
    const first = await pidOf(place, "ann")
    const run = await play(place, scenario, {
      more: ["-c", ...allowed],
      async during() {
        await Bun.sleep(500)
        expect(processesIn(place)).toContain(first)
        writeFileSync(join(place.work, "go"), "")
      },
    })
    expect(run.code).toBe(0)
    expect((await look(place))?.tasks).toMatchObject([{ status: "completed", owner: "ann", attempts: 0 }])
    expect(await place.read("log.txt")).toBe("begun\ndone\n")
  })
})

describe("a member may do no more than its lead", () => {
  const tries = (...commands: readonly string[]): Cast => ({
    main: [calls(create), calls(add("one")), calls(member("ann")), says("ok"), ...oks],
    ann: [...commands.map((command) => calls(bash(command))), calls(done("1")), says("Tried.")],
  })
  test("what is not allowed is not done, and settings that change later permit nothing", async () => {
    using place = openPlace()
    const run = await play(place, tries("touch denied.txt", "touch allowed.txt"), {
      more: [...argv, "--allowedTools", "Bash(touch allowed.txt)"],
      async during() {
        // As if something in the session had written it: the process of the member starts afterwards.
        await until(() => look(place))
        writeFileSync(join(place.state, "settings.json"), '{ "permissions": { "allow": ["Bash"] } }')
      },
    })
    expect(run.code).toBe(0)
    expect(await Bun.file(join(place.work, "allowed.txt")).exists()).toBe(true)
    expect(await Bun.file(join(place.work, "denied.txt")).exists()).toBe(false)
  })

  test("what is denied stays denied, also in bypass mode", async () => {
    using place = openPlace()
    const run = await play(place, tries("touch denied.txt", "touch allowed.txt"), {
      env: { IS_SANDBOX: "1" },
      more: [...argv, "--dangerously-skip-permissions", "--disallowedTools", "Bash(touch denied.txt)"],
    })
    expect(run.code).toBe(0)
    expect(await Bun.file(join(place.work, "allowed.txt")).exists()).toBe(true)
    expect(await Bun.file(join(place.work, "denied.txt")).exists()).toBe(false)
  })

  test("one that plans first changes nothing before its plan is approved", async () => {
    using place = openPlace()
    const run = await play(place, {
      main: [
        calls(create),
        calls(member("ann", { mode: "plan" })),
        ...upon(
          "plan_approval_request",
          calls(send("ann", "Good.", { type: "plan_approval_response", approve: true, answers: 1 })),
        ),
      ],
      ann: [
        calls(bash("touch early.txt")),
        calls(send("lead", "I will touch late.txt.", { type: "plan_approval_request" })),
        ...upon("plan_approval_response", calls(bash("touch late.txt")), says("Done.")),
      ],
    })
    expect(run.code).toBe(0)
    expect(await Bun.file(join(place.work, "early.txt")).exists()).toBe(false)
    expect(await Bun.file(join(place.work, "late.txt")).exists()).toBe(true)
  })
})

test("two members see nothing of each other: folder, list of work, conversation, mailbox", async () => {
  using place = openPlace({ "a.txt": "first\n" })
  for (const line of ["init -q -b main", "config user.name a", "config user.email a@b", "add -A", "commit -qm first"])
    Bun.spawnSync(["git", ...line.split(" ")], { cwd: place.work })
  const todo = (content: string) =>
    use("TodoWrite", { todos: [{ content, activeForm: content, status: "in_progress" }] })
  const box = join(place.state, "teams", "crew", "team.db")
  const run = await play(
    place,
    {
      main: [calls(create), calls(member("ann"), member("bob")), ...oks],
      ann: [
        calls(todo("ann's own"), write("b.txt", "by ann\n"), bash("pwd; cd /tmp; pwd")),
        calls(bash("pwd; ls")),
        says("ann's words"),
      ],
      bob: [calls(todo("bob's own"), bash("pwd; ls"), use("Read", { file_path: box })), says("bob's words")],
    },
    { env: { CODEWRIGHT_TRUST: "1" } },
  )
  expect(run.code).toBe(0)
  // What bob was refused is told where the lead heard of it before it ended.
  expect(run.stderr).toMatch(/^(?:Not permitted: Read\(\S+team\.db\)\.\n)?$/)
  const said = (name: string): string =>
    run.requests
      .map(({ body }) => (body as { readonly messages: readonly unknown[] }).messages)
      .filter(([first]) => JSON.stringify(first).includes(`${name}: do it.`))
      .map((messages) => JSON.stringify(messages))
      .join("\n")
  expect(said("ann")).toContain("ann's own")
  expect(said("ann")).not.toContain("bob's")
  expect(said("bob")).not.toContain("ann's")
  expect(said("bob")).not.toContain("by ann")
  expect(said("bob")).toContain("team.db holds the tasks and mail of teams, which no tool may read or change")
  const folders = (await look(place))?.members.map(({ folder }) => folder)
  expect(new Set(folders).size).toBe(3)
  for (const [name, other] of [
    ["ann", folders?.[2]],
    ["bob", folders?.[1]],
  ] as const)
    expect(said(name)).not.toContain(other ?? "")
  expect(await Bun.file(join(place.work, "b.txt")).exists()).toBe(false)
})

test.each(["in-process", "process"])(
  "with teammateIsolation shared, members work in the lead's folder (%s)",
  async (mode) => {
    using place = openPlace({ "a.txt": "first\n", ".codewright/settings.json": '{ "teammateIsolation": "shared" }' })
    for (const line of ["init -q -b main", "config user.name a", "config user.email a@b", "add -A", "commit -qm first"])
      Bun.spawnSync(["git", ...line.split(" ")], { cwd: place.work })
    const run = await play(
      place,
      {
        main: [calls(create), calls(member("ann")), ...oks],
        ann: [calls(write("b.txt", "by ann\n")), says("Written.")],
      },
      {
        env: { CODEWRIGHT_TRUST: "1" },
        more: ["-p", "go", "--output-format", "json", "--teammate-mode", mode, "--allowedTools", "Bash,Write"],
      },
    )
    expect([run.code, run.stderr]).toEqual([0, ""])
    expect(await place.read("b.txt")).toBe("by ann\n")
    expect(new Set((await look(place))?.members.map(({ folder }) => folder)).size).toBe(1)
  },
)

test("the budget is one for all processes, and is never exceeded", async () => {
  using place = openPlace()
  // Long replies, so that few use it up.
  const usage = { output_tokens: 400 }
  const busy = Array.from({ length: 200 }, (_, n) => ({ ...calls(bash(`echo ${n}`)), usage }))
  const run = await play(
    place,
    {
      main: [calls(create), calls(member("ann"), member("bob"), member("cid")), ...oks],
      ann: busy,
      bob: busy,
      cid: busy,
    },
    { env: { CODEWRIGHT_MAX_OUTPUT_TOKENS: "4000" }, more: [...allowed, "--max-budget-usd", "0.3"] },
  )
  const { total_cost_usd: cost } = JSON.parse(run.stdout) as { readonly total_cost_usd: number }
  expect(cost).toBeLessThanOrEqual(0.3)
  expect(cost).toBeGreaterThan(0.15)
  const members = (await look(place))?.members.filter(({ name }) => name !== "lead") ?? []
  expect(members.map(({ state }) => state)).toEqual(["gone", "gone", "gone"])
  expect(members.every(({ costUsd }) => costUsd > 0)).toBe(true)
})
