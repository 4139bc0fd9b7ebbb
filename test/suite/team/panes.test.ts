/** Members in panes of a real tmux, and the questions of members in other processes: shown where they work and at the lead, answered once. */

import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { systemClock } from "#lib/clock.ts"
import { readTeamOverview } from "#team/overview.ts"
import { leadName } from "#team/place.ts"
import { hasTmux, openTmux, type TmuxRun } from "../../kit/open-tmux.ts"
import { openPlace, type Place, program } from "../../kit/run-codewright.ts"
import { bash, calls, says } from "../../kit/script.ts"
import { processesIn } from "../../kit/team/processes.ts"
import { storyFiles, storyPrompt, storyRepository, teamStory } from "../../kit/team/story.ts"
import { cast } from "../subagents/cast.ts"
import { create, heard, member, send } from "./crew.ts"
import { until } from "../../kit/until.ts"
import { isNight } from "../../kit/runs.ts"

setDefaultTimeout(300_000)

/** The panes beside the lead's, by what they show. */
async function panesOf({ tmux }: TmuxRun): Promise<readonly { readonly id: string; readonly text: string }[]> {
  const ids = (await tmux("list-panes", "-F", "#{pane_id}")).trim().split("\n").slice(1)
  // One may close in between.
  const text = (id: string): Promise<string> => tmux("capture-pane", "-p", "-S", "-", "-t", id).catch(() => "")
  return Promise.all(ids.map(async (id) => ({ id, text: await text(id) })))
}

const paneOf = (run: TmuxRun, word: string): Promise<string> =>
  until(async () => (await panesOf(run)).find(({ text }) => text.includes(word))?.id)

/** What the lead's terminal asks now. */
const dialogOf = async ({ tmux }: TmuxRun): Promise<string | undefined> =>
  (await tmux("capture-pane", "-p", "-t", ":.0")).split("Run this command?")[1]

/** Waits until the lead's terminal asks about this, and for as long as a person needs to read it; gives the first group. */
async function askedAbout(run: TmuxRun, what: RegExp): Promise<string> {
  const name = await until(async () => what.exec((await dialogOf(run)) ?? "")?.[1])
  await run.asks("Run this command?")
  return name
}

/** A key counts only once a question has stood still for a while, so it is pressed again while the question is there. */
async function allowed(run: TmuxRun, place: Place, name: string, press: () => Promise<unknown>): Promise<void> {
  await until(async () => {
    if (has(place, `${name}.txt`)) return true
    if (!(await dialogOf(run))?.includes(`touch ${name}.txt`)) return false
    await run.asks("Run this command?")
    if ((await dialogOf(run))?.includes(`touch ${name}.txt`)) await press()
    return false
  })
}

/** Its members still wait for work, so it asks first. */
async function quit(run: TmuxRun): Promise<void> {
  await run.press("C-d")
  await run.asks("Quit and stop")
  await run.press("Enter")
}

/** Members end by themselves when their lead is gone, perhaps a moment before. */
function killed(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch {}
}

const has = (place: Place, file: string): boolean => existsSync(join(place.work, file))

/** All entries of the lead's log of a kind. */
function entriesOf({ state }: Place, kind: string): readonly string[] {
  const project = join(state, "projects", readdirSync(join(state, "projects"))[0] ?? "")
  const log = readdirSync(project).find((name) => name.endsWith(".jsonl")) ?? ""
  return readFileSync(join(project, log), "utf8")
    .split("\n")
    .filter((line) => line.includes(`"subtype":"${kind}"`))
}

describe.skipIf(!hasTmux)("in tmux", () => {
  test("three members in panes do a change together, and nothing is left of them", async () => {
    using place = openPlace(storyFiles)
    for (const line of storyRepository) expect(spawnSync("git", line.split(" "), { cwd: place.work }).status).toBe(0)
    await using run = await openTmux({
      place,
      command: [program, storyPrompt, "--allowedTools", "Bash,MergeBranch", "--teammate-mode", "auto"],
      scenario: teamStory({ paceMs: 300 }),
    })
    await run.tmux("set", "-g", "remain-on-exit", "off")
    await run.resize(160, 48)
    await until(async () => (await panesOf(run)).length === 3)
    await paneOf(run, "is ready.")
    await run.shows("The branches are merged, and the tests pass.")
    expect(spawnSync("sh", ["test.sh"], { cwd: place.work }).status).toBe(0)
    // The one that failed has left, and its pane with it.
    await until(async () => (await panesOf(run)).length === 2)
    const team = await readTeamOverview(place.state, "login", systemClock)
    expect(new Set(team?.members.map(({ pid }) => pid)).size).toBe(4)
    // What a pane needs to start is read once and gone.
    expect(readdirSync(join(place.state, "teams", "login", "members"))).toEqual([])
    await quit(run)
    await until(() => processesIn(place).length === 0)
  })

  test("what is typed in a pane is said to that member alone, Esc interrupts it, and leaving it gives its task back", async () => {
    using place = openPlace()
    await using run = await openTmux({
      place,
      command: [program, "go", "--allowedTools", "Bash", "--teammate-mode", "tmux"],
      scenario: cast({
        main: [calls(create), calls(member("ann")), ...Array.from({ length: 9 }, () => heard)],
        ann: [
          calls(bash("touch begun; sleep 1000")),
          (request) => says(JSON.stringify(request.messages.at(-1)).includes("hello ann") ? "Hello user." : "Who?"),
        ],
      }),
    })
    await run.tmux("set", "-g", "remain-on-exit", "off")
    await run.resize(160, 48)
    const ann = await paneOf(run, "ann: do it.")
    await until(() => has(place, "begun"))
    await run.tmux("send-keys", "-t", ann, "Escape")
    await paneOf(run, "Interrupted")
    await run.tmux("send-keys", "-t", ann, "-l", "hello ann")
    await run.tmux("send-keys", "-t", ann, "Enter")
    await paneOf(run, "Hello user.")
    const report = await until(async () =>
      (await readTeamOverview(place.state, "crew", systemClock))?.mail.find(({ from }) => from === "ann"),
    )
    expect(report.text).toBe("Hello user.")
    const state = async () => (await readTeamOverview(place.state, "crew", systemClock))?.members[1]?.state
    await until(async () => (await state()) === "idle")
    await run.tmux("send-keys", "-t", ann, "C-d")
    // The pane may be gone by then.
    await run.tmux("send-keys", "-t", ann, "C-d").catch(() => {})
    await until(async () => (await state()) === "gone")
    await until(async () => (await panesOf(run)).length === 0)
    await run.shows("ann, a member of the team, ")
  })

  test.each([
    ["process", "of all"],
    ["tmux", "of the lead alone"],
    ...(isNight ? ([["tmux", "of all"]] as const) : []),
  ] as const)(
    "questions of two members are asked and answered once, and survive kill -9 (%s, %s)",
    async (mode, whose) => {
      using place = openPlace()
      const argv = [program, "--teammate-mode", mode]
      const asks = (name: string) => [
        calls(bash(`touch ${name}.txt`)),
        calls(bash(`touch ${name}-late.txt`)),
        says(`${name} is done.`),
      ]
      await using run = await openTmux({
        place,
        command: [...argv, "go"],
        scenario: cast({
          main: [calls(create), calls(member("ann"), member("bob")), ...Array.from({ length: 20 }, () => heard)],
          ann: asks("ann"),
          bob: asks("bob"),
        }),
      })
      await run.resize(160, 48)
      await run.shows("1 more after this")
      const first = await askedAbout(run, /Asked by (ann|bob), a member of the team/)
      const second = first === "ann" ? "bob" : "ann"
      expect([has(place, "ann.txt"), has(place, "bob.txt")]).toEqual([false, false])
      // The first at the lead, the second in its own pane if it has one.
      await allowed(run, place, first, () => run.press("Enter"))
      await allowed(run, place, second, async () => {
        if (mode === "tmux") await run.tmux("send-keys", "-t", await paneOf(run, `touch ${second}.txt`), "Enter")
        else await run.press("Enter")
      })
      // Both ask again, and everything is killed.
      await askedAbout(run, /touch (ann|bob)-late\.txt/)
      await until(async () => entriesOf(place, "question").length === 4)
      expect(entriesOf(place, "answer").length).toBe(2)
      for (const { pid, name } of (await readTeamOverview(place.state, "crew", systemClock))?.members ?? [])
        if (whose === "of all" || name === leadName) killed(pid)
      await until(() => processesIn(place).length === 0)
      expect([has(place, "ann-late.txt"), has(place, "bob-late.txt")]).toEqual([false, false])
      const left = await readTeamOverview(place.state, "crew", systemClock)
      expect(left?.mail.filter(({ text }) => text.includes("has left"))).toEqual([])
      // What the dead one had drawn is still there.
      await run.tmux("send-keys", "-R", "-t", ":.0")
      await run.tmux("respawn-pane", "-k", "-t", ":.0", ...argv, "-c")
      // A key counts only once a question has stood still for a while, and another one may come in between.
      await until(async () => {
        if (has(place, "ann-late.txt") && has(place, "bob-late.txt")) return true
        if (!(await dialogOf(run))?.includes("-late.txt")) return false
        await run.asks("Run this command?")
        await run.press("Enter")
        return false
      })
      expect(new Set(entriesOf(place, "answer").map((line) => /"questionId":"(\w+)"/.exec(line)?.[1])).size).toBe(4)
      await until(
        async () =>
          (await readTeamOverview(place.state, "crew", systemClock))?.mail.filter(({ text }) =>
            text.endsWith("is done."),
          ).length === 2,
      )
      await quit(run)
      await until(() => processesIn(place).length === 0)
    },
  )

  test("a plan of a member in another process is put to the user, sent back once, and then carried out", async () => {
    using place = openPlace()
    await using run = await openTmux({
      place,
      command: [program, "go", "--teammate-mode", "process", "--allowedTools", "Bash"],
      scenario: cast({
        main: [calls(create), calls(member("ann", { mode: "plan" })), ...Array.from({ length: 20 }, () => heard)],
        ann: [
          calls(bash("touch early.txt")),
          calls(send("lead", "1. Touch late.txt", { type: "plan_approval_request" })),
          calls(send("lead", "1. Touch later.txt", { type: "plan_approval_request" })),
          calls(bash("touch later.txt")),
          says("ann is done."),
        ],
      }),
    })
    await run.resize(120, 40)
    await run.shows("1. Touch late.txt")
    await run.shows("Asked by ann, a member of the team")
    expect(await run.all()).not.toContain("fresh context")
    // A key counts only once a question has stood still for a while.
    const pressUntil = (key: string, isDone: () => Promise<boolean>): Promise<unknown> =>
      until(async () => {
        if (await isDone()) return true
        if (!(await screen()).includes("Approve this plan?")) return false
        await run.asks("Approve this plan?")
        await run.press(key)
        return false
      })
    const screen = (): Promise<string> => run.tmux("capture-pane", "-p", "-t", ":.0")
    await pressUntil("2", async () => (await screen()).includes("Enter to send"))
    await run.enter("Touch later.txt.")
    await run.shows("1. Touch later.txt")
    await pressUntil("Enter", async () => has(place, "later.txt"))
    expect([has(place, "early.txt"), has(place, "late.txt")]).toEqual([false, false])
    await quit(run)
    await until(() => processesIn(place).length === 0)
  })
})
