/** Killed in the middle of a command that deletes: what was deleted by then comes back, from what was saved before. */

import { expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { reachableConfine } from "../kit/confine.ts"
import { openUndoWorld } from "../kit/undo/world.ts"
import { recordingFlags } from "#ground/sandbox/recording.ts"
import { runs } from "#agent/words/footprint.ts"

const signal = new AbortController().signal
const isLinux = process.platform === "linux"

for (const victim of ["the command", "the recorder", "everything"] as const)
  test.skipIf(!isLinux)(
    `${victim} is killed`,
    async () => {
      await using world = openUndoWorld({ recorder: await reachableConfine() })
      Bun.spawnSync(["bash", "-c", "for i in $(seq 400); do echo text $i > $i; done; mkdir deep; mv 4? deep"], {
        cwd: world.root,
      })
      const before = treeOf(world.root)
      const promptId = world.prompt()
      const end = Promise.withResolvers<void>()
      const acting = world.act(runs("rm"), async (callId) => {
        const place = world.kit().recording(callId)?.journal()
        if (!place) throw new Error("it is not recorded")
        // Slow enough to be caught in the middle.
        const line = "echo $$ > ../pid; for i in *; do rm -rf $i; echo half > half; done"
        const argv = ["record", ...recordingFlags(place), "--", "/bin/bash", "-c", line]
        const child = Bun.spawn([await reachableConfine(), ...argv], {
          cwd: world.root,
          stdio: ["ignore", "ignore", "ignore"],
        })
        while (!(existsSync(`${world.root}/half`) && readdirSync(world.root).length < 300)) await Bun.sleep(1)
        const command = Number(readFileSync(world.folder.join("pid"), "utf8"))
        const recorder = Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${command}/status`, "utf8"))?.[1])
        if (victim !== "the command") process.kill(recorder, "SIGKILL")
        if (victim !== "the recorder") process.kill(command, "SIGKILL")
        if (victim === "everything") child.kill("SIGKILL")
        await child.exited
        if (victim === "everything") await end.promise
      })
      if (victim === "everything") {
        // We are killed as well: nothing is kept after the call, and another process goes on with the log.
        while (!(existsSync(`${world.root}/half`) && readdirSync(world.root).length < 300)) await Bun.sleep(1)
        await Bun.sleep(50)
        await world.reopen("killed")
      } else await acting
      expect(treeOf(world.root)).not.toEqual(before)
      const rewound = await world.kit().rewindFiles({ log: world.log(), promptId, signal })
      expect(rewound.ok && rewound.value?.kept).toEqual([])
      expect(treeOf(world.root)).toEqual(before)
      end.resolve()
      await acting
    },
    60_000,
  )

const treeOf = (root: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => [`${entry.parentPath}/${entry.name}`, readFileSync(`${entry.parentPath}/${entry.name}`, "utf8")]),
  )
