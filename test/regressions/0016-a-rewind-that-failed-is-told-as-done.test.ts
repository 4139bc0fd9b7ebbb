/** A client of the SDK that rewound files was told that it was done, also when nothing had been restored. */

import { expect, test } from "bun:test"
import type { ControlParts } from "#faces/headless/sdk/control.ts"
import { changeControls } from "#faces/headless/sdk/change-controls.ts"
import { fillDiskUnder } from "../kit/fill-disk.ts"
import { promptId } from "../kit/going-back.ts"
import { openTestSession } from "../kit/open-test-session.ts"
import { calls, says, write } from "../kit/script.ts"

test("a rewind of files that fails is told as such", async () => {
  await using t = await openTestSession({ script: [calls(write("a.txt", "new\n")), says("Done.")] })
  await t.prompt("write it")
  const request = { user_message_id: promptId(t, "write it") }
  const rewind = (): unknown => changeControls["rewind_files"]?.(request, parts, new AbortController().signal)
  const parts = { session: t.session, rewinds: true, isAtWork: () => false } as unknown as ControlParts

  const freeDisk = fillDiskUnder(t.logPath)
  const error = expect.stringContaining("Nothing was changed")
  expect(await rewind()).toMatchObject({ ok: true, value: { canRewind: false, error } })
  expect(t.read("a.txt")).toBe("new\n")
  freeDisk()
  expect(await rewind()).toMatchObject({ ok: true, value: { canRewind: true, deletions: 1 } })
  expect(await Bun.file(t.path("a.txt")).exists()).toBe(false)
})
