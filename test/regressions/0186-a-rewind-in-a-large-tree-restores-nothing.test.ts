/**
 * In a project with more files than are scanned, `rm -rf` ran without a snapshot, and the rewind said "Rewound. No files
 * changed." What a command changes is recorded now, so the size of the project does not matter.
 */

import { expect, test } from "bun:test"
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { linesOf, openPlace, runCodewright } from "../kit/run-codewright.ts"
import { bash, calls, says } from "../kit/script.ts"

/** More than `paths` of the limits. */
const files = 20_500

test.skipIf(process.platform !== "linux")(
  "what rm removed in a large project comes back",
  async () => {
    using place = openPlace()
    for (let i = 0; i < files; i++) {
      const folder = `${place.work}/part${i % 100}`
      if (i < 100) mkdirSync(folder)
      writeFileSync(`${folder}/${i}.txt`, i < 200 ? `text ${i}\n` : "")
    }
    const run = await runCodewright({
      place,
      env: { IS_SANDBOX: "1" },
      argv: ["-p", "remove", "--output-format", "json", "--permission-mode", "bypassPermissions"],
      scenario: [
        calls(bash("rm -rf part1 && echo new > part2/new && sed -i s/text/word/ part3/103.txt")),
        says("Done."),
      ],
    })
    expect(run.stderr).toBe("")
    expect(readdirSync(place.work)).not.toContain("part1")
    const id = String(linesOf(run.stdout).at(-1)?.session_id)
    const back = await runCodewright({ place, argv: ["rewind", id, "--to", "1"] })
    expect(back.stdout).toStartWith("Rewound.\n")
    expect(back.stdout).toContain("more (--json for all)")
    expect(back.code).toBe(0)
    expect(readdirSync(`${place.work}/part1`)).toHaveLength(205)
    expect(await place.read("part1/101.txt")).toBe("text 101\n")
    expect(await place.read("part3/103.txt")).toBe("text 103\n")
    expect(readdirSync(`${place.work}/part2`)).not.toContain("new")
  },
  120_000,
)
