import { expect, test } from "bun:test"
import { chosenGates, gateSourcesIn } from "#faces/cli/flags/gates-flag.ts"

const flags = (lists: { readonly [name: string]: readonly string[] }) => ({ list: (name: string) => lists[name] ?? [] })

test("flags add to the gates of the settings and leave others out, and the managed policy stays", () => {
  const settings = { plan: true, git: true }
  expect(chosenGates(flags({ gates: ["files"], "open-gates": ["git"] }), settings)).toEqual({
    ok: true,
    value: { gates: { plan: true, files: true }, openGates: ["git"], namedGates: ["files", "git"] },
  })
  const sources = gateSourcesIn([
    { name: "managed", value: { gates: { git: true, files: "yes" } } },
    { name: "user settings", value: { gates: { git: true, clarify: true, plan: true } } },
    { name: "project settings", value: { gates: { plan: true } } },
  ])
  expect(sources).toEqual({ git: "policy", clarify: "settings", plan: "project" })
  expect(chosenGates(flags({ "open-gates": ["git"] }), settings, sources)).toMatchObject({
    ok: false,
    failure: { message: "The gate git is set by the managed policy of this machine and stays on." },
  })
  expect(chosenGates(flags({ "open-gates": ["plan"] }), settings, sources)).toMatchObject({
    ok: true,
    value: { gateSources: sources },
  })
})
