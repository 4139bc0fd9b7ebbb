/** `config set` told a refused value as one that is read in another way, at a line that was not there, and anything else wrong in the file kept every setting from being changed. */

import { expect, test } from "bun:test"
import { join } from "node:path"
import { openPlace, runCodewright } from "../kit/run-codewright.ts"

test("a refused value is not in the file, and says so", async () => {
  using place = openPlace()
  const file = place.write(join(place.state, "settings.json"), "{}")
  const set = (...argv: readonly string[]) => runCodewright({ argv: ["config", "set", ...argv, "--to", "user"], place })
  const refused = await set("permissions.defaultMode", "yolo")
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(
      /^error: "permissions.defaultMode" must be one of .*, but it is "yolo"\. Nothing was changed in \S+settings\.json\.\n$/,
    ),
  ])
  const unknown = await set("nonsense", "5")
  expect(unknown.stderr).toBe(`error: There is no setting "nonsense". Nothing was changed in ${file}.\n`)
  expect(await place.read(file)).toBe("{}")
})

test("what else is wrong in the file keeps no setting from being changed", async () => {
  using place = openPlace()
  const file = place.write(join(place.state, "settings.json"), '{ "nonsense": 5 }')
  const { code } = await runCodewright({ argv: ["config", "set", "theme", "light", "--to", "user"], place })
  expect(code).toBe(0)
  expect(JSON.parse(await place.read(file))).toEqual({ nonsense: 5, theme: "light" })
})
