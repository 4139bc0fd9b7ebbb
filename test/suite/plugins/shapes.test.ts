/** Plugins of both kinds, as public ones are written, from a marketplace into a session. */

import { beforeAll, describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { setEnabled } from "#faces/cli/plugins/enabling.ts"
import { installStaged } from "#faces/cli/plugins/install.ts"
import { fetchMarketplace } from "#faces/cli/plugins/marketplaces.ts"
import { stage, type StagedPlugin } from "#faces/cli/plugins/stage.ts"
import { estimateTokens } from "#lib/tokens.ts"
import { contextOf, valueOf, writeMarket } from "../../kit/plugins/market.ts"
import { claudeShapes, type PluginShape, portableShapes, shapes } from "../../kit/plugins/shapes.ts"
import { openPlace, type Run, runCodewright } from "../../kit/run-codewright.ts"

let before: Run
let after: Run
let init: { readonly [field: string]: readonly string[] } & {
  readonly mcp_servers: readonly { readonly name: string; readonly status: string }[]
}
let dependencies: readonly string[]
const staged = new Map<string, StagedPlugin>()
/** How often the hook of each left its mark. */
const fired = new Map<string, number>()

const argv = ["-p", "go", "--output-format", "stream-json", "--verbose"]
const env = { ENABLE_TOOL_SEARCH: "false" }

beforeAll(async () => {
  using place = openPlace()
  before = await runCodewright({ argv, env, place, scenario: ["Done."] })
  const context = await contextOf(place)
  valueOf(await fetchMarketplace(context, { kind: "folder", path: writeMarket(place, shapes) }))
  for (const { name } of shapes) {
    const one = valueOf(await stage(context, `${name}@shapes`))
    staged.set(name, one)
    valueOf(installStaged(context, one, "approved"))
    valueOf(setEnabled(context.setting, one.id, "user", true))
  }
  dependencies = valueOf(context.records()).plugins["needs-other@shapes"]?.dependencies ?? []
  await context.close()
  after = await runCodewright({ argv, env, place, scenario: ["Done."] })
  const messages = after.stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]))
  init = messages.find(({ subtype }) => subtype === "init")
  for (const { name } of shapes) {
    const file = join(place.state, "plugins/data", name, "fired")
    fired.set(name, existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").length : 0)
  }
})

const named = (plugin: string, names: readonly string[] = []): readonly string[] =>
  names.map((name) => `${plugin}:${name}`)
const of = (plugin: string, names: readonly string[]): readonly string[] =>
  names.filter((name) => name.startsWith(`${plugin}:`)).toSorted()

test("there are thirty and more, of both kinds", () => {
  expect(shapes.length).toBeGreaterThanOrEqual(30)
  expect([...staged.values()].filter(({ view }) => view.plugin.kind === "portable").map(({ name }) => name)).toEqual(
    portableShapes.map(({ name }) => name),
  )
})

describe.each([...claudeShapes, ...portableShapes].map((shape) => [shape.name, shape.about, shape] as const))(
  "%s: %s",
  (name, _, { becomes }: PluginShape) => {
    test("what is said before it is installed", () => {
      const { view } = staged.get(name) as StagedPlugin
      expect({
        commands: of(name, view.parts.commands),
        skills: of(name, view.parts.skills),
        agents: of(name, view.parts.agents),
        styles: view.parts.styles,
        runs: [...new Set(view.runs.map(({ kind }) => kind))],
        unsupported: view.plugin.notFollowed.toSorted(),
        problems: view.problems.length,
      }).toEqual({
        commands: named(name, becomes.commands),
        skills: named(name, becomes.skills),
        agents: named(name, becomes.agents),
        styles: named(name, becomes.styles),
        runs: becomes.runs ?? [],
        unsupported: (becomes.unsupported ?? []).toSorted(),
        problems: becomes.problems?.length ?? 0,
      } as never)
      for (const [i, part] of (becomes.problems ?? []).entries()) expect(view.problems[i]).toContain(part)
    })

    test("what a session has of it", () => {
      expect(of(name, init["slash_commands"] ?? [])).toEqual(
        named(name, [...(becomes.commands ?? []), ...(becomes.skills ?? [])]).toSorted(),
      )
      expect(of(name, init["agents"] ?? [])).toEqual(named(name, becomes.agents))
      expect(
        init.mcp_servers
          .filter((one) => one.name.startsWith(`plugin:${name}:`))
          .map(({ name: own, status }) => `${own} ${status}`),
      ).toEqual((becomes.servers ?? []).map((server) => `plugin:${name}:${server} connected`))
      expect(fired.get(name)).toBe(becomes.fires === true ? 1 : 0)
    })
  },
)

test("the tokens that are shown are those that every prompt gets", () => {
  const size = ({ requests }: Run): number => {
    const body = requests[0]?.body as {
      readonly tools: readonly { readonly name: string }[]
      readonly system: unknown
      readonly messages: unknown
    }
    // What servers bring is said to come on top.
    const tools = body.tools.filter(({ name }) => !/^(?:mcp__|ToolSearch$|CallTool$)/.test(name))
    return estimateTokens(JSON.stringify([body.system, body.messages, tools]))
  }
  const shown = [...staged.values()].reduce((sum, { view }) => sum + view.promptTokens, 0)
  const real = size(after) - size(before)
  expect(shown).toBeGreaterThan(0)
  // Line ends count twice in JSON, and each plugin is rounded up.
  expect(Math.abs(real - shown)).toBeLessThan(shown * 0.2)
})

test("what one needs is installed with it, and recorded", () => {
  expect(dependencies).toEqual(["one-skill@shapes", "styles@shapes"])
})

test("an Agent Plugin of a version that nobody knows is refused", async () => {
  using elsewhere = openPlace()
  const future = { $schema: "https://agent-plugins.org/schemas/2.0.0/plugin.schema.json", name: "future" }
  writeMarket(elsewhere, [{ name: "future", about: "", files: { "plugin.json": future }, becomes: {} }])
  const context = await contextOf(elsewhere)
  const refused = await stage(context, join(elsewhere.path, "shapes/plugins/future"))
  expect(refused).toMatchObject({
    ok: false,
    failure: expect.stringContaining("Agent Plugins 1.0.0 and 1.1.0 are known"),
  })
  await context.close()
})
