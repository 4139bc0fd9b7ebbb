/**
 * A session that was begun in bypassPermissions was in `default` after its first question, a hand-over or a restart, and so stopped for good
 * at its next command: whoever opened it again did not say that it may have that mode. Every mode, across all three.
 */

import { expect, test } from "bun:test"
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { messageOp } from "#fleet/ops.ts"
import { type PermissionMode, permissionModes } from "#agent/words/permission.ts"
import { systemIds } from "#lib/ids.ts"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { hasPostgres } from "../kit/database/postgres-server.ts"
import type { ProcessOptions } from "../kit/fleet/fault-points.ts"
import { openFleet } from "../kit/fleet/fleet.ts"
import { helper } from "../kit/helper.ts"
import { bash, calls, says, use } from "../kit/script.ts"

const question = { question: "Which?", header: "Which", multiSelect: false, options: [option("This"), option("That")] }

function option(label: string): { readonly label: string; readonly description: string } {
  return { label, description: label }
}

/** What is asked for last, and whether a tool has answered since. */
function lastAsked(messages: unknown): { readonly wish: string; readonly isAnswered: boolean } {
  const text = JSON.stringify(messages)
  const at = text.lastIndexOf("Wish: ")
  return {
    wish: /^Wish: ([\w ]+)/.exec(text.slice(at))?.[1] ?? "",
    isAnswered: text.slice(at).includes('"tool_result"'),
  }
}

test.skipIf(!hasPostgres)(
  "every mode survives a question, a hand-over and a restart",
  async () => {
    const hanging = new Set<string>()
    const scenario: ScenarioFunction = async ({ messages }) => {
      const { wish, isAnswered } = lastAsked(messages)
      if (wish.startsWith("ask") && !isAnswered) return calls(use("AskUserQuestion", { questions: [question] }))
      if (wish.startsWith("run") && !isAnswered) return calls(bash(`touch ${wish.split(" ")[1] ?? ""}.txt`))
      if (wish.startsWith("hang") && !hanging.has(wish)) {
        hanging.add(wish)
        await new Promise(() => undefined)
      }
      return says("Done.")
    }
    await using fleet = await openFleet(scenario)
    const faults = join(fleet.place.path, "faults")
    mkdirSync(faults)
    const options: ProcessOptions = { database: fleet.url, slots: permissionModes.length, faults }
    const argv = [...helper(join(import.meta.dir, "../kit/fleet/fleet-process.ts")), JSON.stringify(options)]
    // Root may use that mode only where the machine is said to be one to throw away.
    const start = () => fleet.startWorker({ argv, env: { IS_SANDBOX: "1" } })
    let worker = await fleet.startWorker({ slots: permissionModes.length, env: { IS_SANDBOX: "1" } })
    const ids = new Map<PermissionMode, string>()
    for (const mode of permissionModes) ids.set(mode, await fleet.create({ mode, query: `Wish: ask ${mode}` }))
    const modesNow = async () =>
      Object.fromEntries(
        await Promise.all([...ids].map(async ([mode, id]) => [mode, (await fleet.store.sessions.get(id))?.mode])),
      )
    /** Answers what is asked, until every session is at rest. */
    const settle = async (): Promise<void> => {
      for (const id of ids.values())
        for (;;) {
          const { stage } = await fleet.until(id, (session) => !session.worker && session.stage !== "executing")
          if (stage === "completed" || stage === "failed") break
          const open = (await fleet.store.approvals.of(id)).find(({ state }) => state === "open")
          if (open?.kind === "question") await fleet.decide(id, true, { answers: { [question.question]: "This" } })
          else if (open) await fleet.decide(id, open.kind !== "plan", { message: "No." })
          await Bun.sleep(50)
        }
    }
    const wishAll = async (wish: string): Promise<void> => {
      for (const [mode, id] of ids)
        await fleet.store.ops.add(id, systemIds.uuid(), messageOp(`Wish: ${wish} ${mode}`), "ann")
    }
    const allHang = async (wish: string): Promise<void> => {
      while (![...ids.keys()].every((mode) => hanging.has(`${wish} ${mode}`))) await Bun.sleep(30)
    }
    const same = Object.fromEntries(permissionModes.map((mode) => [mode, mode]))
    await settle()
    expect(await modesNow()).toEqual(same)

    await wishAll("hang over")
    await allHang("hang over")
    expect(await worker.end("SIGTERM")).toBe(143)
    worker = await start()
    await settle()
    expect(await modesNow()).toEqual(same)

    await wishAll("hang dead")
    await allHang("hang dead")
    await worker.end("SIGKILL")
    worker = await start()
    await settle()
    expect(await modesNow()).toEqual(same)

    // What the mode means is still so: this runs although nobody is asked.
    const id = ids.get("bypassPermissions") ?? ""
    const before = (await fleet.store.approvals.of(id)).length
    await fleet.store.ops.add(id, systemIds.uuid(), messageOp("Wish: run bypassed"), "ann")
    while (!existsSync(join(fleet.place.work, "bypassed.txt"))) await Bun.sleep(30)
    expect((await fleet.store.approvals.of(id)).length).toBe(before)
    await worker.end("SIGTERM")
  },
  Infinity,
)
