/** Whether the tree is as it was, after a turn that edited, created and deleted, with tools and with commands. */

import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Axis, type Sample } from "../axis.ts"
import { calls, says } from "../model.ts"
import { isMissing } from "../peer.ts"
import { treeDigest } from "../place.ts"
import { environment, runPeer } from "../run-peer.ts"

export const undo: Axis = {
  id: "undo",
  how: "A turn that writes a new file with the tool for it, and changes, creates and deletes files with commands; then the agent's own undo without a screen. The tree must be as before the turn.",
  rounds: 1,
  async sample({ peer, installed, fresh }): Promise<readonly Sample[]> {
    const { undo: restore } = peer
    if (isMissing(restore)) return [{ missing: restore.missing }]
    const place = fresh()
    writeFileSync(join(place.work, "b.txt"), "beta\n")
    const before = treeDigest(place.work)
    const steps = [
      ...(peer.write ? [peer.write(join(place.work, "new.txt"), "x\n")] : []),
      peer.shell("sed -i s/alpha/gamma/ a.txt; rm b.txt; mkdir made; echo x > made/c.txt"),
    ]
    try {
      const run = await runPeer({
        peer,
        installed,
        place,
        argv: (situation) => peer.work("go on", situation),
        script(_, index) {
          const step = steps[index]
          return step ? calls(step) : says("Done.")
        },
      })
      const changed = treeDigest(place.work) !== before
      const said: string[] = []
      const situation = { place, url: "http://127.0.0.1:9" }
      await restore({
        printed: run.printed,
        situation,
        async run(args, env = {}) {
          const child = Bun.spawn([...peer.program(installed), ...args], {
            cwd: place.work,
            env: { ...environment(peer, situation), ...env },
            stdio: ["ignore", "pipe", "pipe"],
            timeout: 60_000,
          })
          const text = (await child.stdout.text()) + (await child.stderr.text())
          said.push(text)
          return text
        },
      })
      const isRestored = changed && treeDigest(place.work) === before
      const added = await Bun.file(join(place.work, "new.txt")).exists()
      const left = [
        ...(added ? ["the file of the tool"] : []),
        ...((await Bun.file(join(place.work, "b.txt")).exists()) ? [] : ["what the command did"]),
      ].join(", ")
      return [{ restored: isRestored ? "yes" : "no", left, said: said.join(" ").slice(0, 300) }]
    } finally {
      place.remove()
    }
  },
  rows: [
    {
      what: "undo restores the tree",
      cell: (samples) => {
        const [{ restored = "?", left = "" } = {}] = samples
        return restored === "yes" || left === "" ? `${restored}` : `${restored}: keeps ${left}`
      },
    },
  ],
}
