/**
 * tmux keeps the end of a row that was erased as spaces. A row that had been wide and was drawn again with less in it
 * was broken in two when the terminal got narrower: empty rows stood between the lines of the conversation.
 */

import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { openScreen } from "#faces/tui/screen/screen.ts"
import { hasTmux } from "../kit/open-tmux.ts"
import { temporaryFolder } from "../kit/tmp.ts"

test.skipIf(!hasTmux)("what replaces wide rows stays together", async () => {
  using tmp = temporaryFolder()
  let written = ""
  const size = { columns: 100, rows: 20 }
  const screen = openScreen({ write: (text) => void (written += text), size: () => size, now: () => 0, rewrap: "all" })
  const wide = Array.from({ length: 4 }, (_, i) => `${String(i).padEnd(90, ".")}end`)
  const said = ["one", "two", "three"]
  screen.paint({ above: [], live: wide, cursor: undefined })
  screen.paint({ above: said, live: ["prompt"], cursor: undefined })
  writeFileSync(tmp.join("bytes"), written)

  const tmux = (...args: readonly string[]): string =>
    Bun.spawnSync(["tmux", "-S", tmp.join("socket"), "-f", "/dev/null", ...args]).stdout.toString()
  tmux("new-session", "-d", "-x", "100", "-y", "20", "sh", "-c", `cat ${tmp.join("bytes")}; sleep 100`)
  try {
    const shown = (): string => tmux("capture-pane", "-p", "-S", "-").trimEnd()
    while (!shown().includes("prompt")) await Bun.sleep(20)
    tmux("resize-window", "-x", "50", "-y", "20")
    expect(shown().split("\n")).toEqual([...said, "prompt"])
  } finally {
    tmux("kill-server")
  }
})
