/** Which hooks count, and who may turn them off. */

import { expect, test } from "bun:test"
import { hooksIn } from "#ground/settings/hooks.ts"
import type { SourceName } from "#ground/settings/sources.ts"

const hooks = { Stop: [{ hooks: [{ type: "command", command: "true" }] }] }
const all: readonly SourceName[] = ["managed", "command line", "local settings", "project settings", "user settings"]

const counting = (...off: readonly SourceName[]): readonly string[] =>
  hooksIn(
    all.map((name) => ({
      name,
      file: `${name}.json`,
      value: { hooks, ...(off.includes(name) && { disableAllHooks: true }) },
    })),
  ).map(({ source }) => source)

test("every source has its own, strongest first, and those of the project are marked", () => {
  expect(
    hooksIn([
      { name: "project settings", file: "p.json", value: { hooks } },
      { name: "default", value: {} },
    ]),
  ).toEqual([{ source: "project settings", file: "p.json", isProject: true, hooks }])
  expect(counting()).toEqual(all)
})

test("the person turns off all but the policy's, a project only its own, the policy everything", () => {
  for (const by of ["user settings", "command line"] as const) expect(counting(by)).toEqual(["managed"])
  for (const by of ["project settings", "local settings"] as const)
    expect(counting(by)).toEqual(["managed", "command line", "user settings"])
  expect(counting("managed")).toEqual([])
})

test("nothing, and what is false, turns off nothing", () => {
  expect(hooksIn([{ name: "user settings", file: "u.json", value: { hooks: {}, disableAllHooks: false } }])).toEqual([])
  const said = [{ name: "user settings", file: "u.json", value: { hooks, disableAllHooks: false } }] as const
  expect(hooksIn(said)).toHaveLength(1)
})
