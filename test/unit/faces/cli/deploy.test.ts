/** What the files in `deploy` start: the program understands each command, and the port is the one that the proxies lead to. */

import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { JsonObject } from "#lib/json.ts"
import { help as serve } from "#faces/cli/fleet/serve.ts"
import { help as worker } from "#faces/cli/fleet/worker.ts"
import { parseArguments } from "#faces/cli/flags/argv.ts"

const folder = resolve(import.meta.dir, "../../../../deploy")
const read = (name: string): string => readFileSync(join(folder, name), "utf8")

const unit = (name: string): readonly string[] =>
  /^ExecStart=\/usr\/bin\/codewright (.*)$/m.exec(read(name))?.[1]?.split(" ") ?? []

/** Everything that is called so, however deep. */
function under(key: string, value: unknown): readonly unknown[] {
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => [...(name === key ? [each] : []), ...under(key, each)])
}

const compose = Bun.YAML.parse(read("compose.yaml")) as JsonObject
const kubernetes = Bun.YAML.parse(read("kubernetes.yaml")) as readonly JsonObject[]
const started: readonly (readonly [where: string, argv: readonly string[]])[] = [
  ["codewright-serve.service", unit("codewright-serve.service")],
  ["codewright-worker@.service", unit("codewright-worker@.service")],
  ...under("command", compose).map((argv) => ["compose.yaml", argv as readonly string[]] as const),
  ...under("args", kubernetes).map((argv) => ["kubernetes.yaml", argv as readonly string[]] as const),
]

test("each file starts a server and a worker", () => {
  expect(started.map(([where, [name]]) => `${where}: ${name}`)).toEqual([
    "codewright-serve.service: serve",
    "codewright-worker@.service: worker",
    "compose.yaml: serve",
    "compose.yaml: worker",
    "kubernetes.yaml: serve",
    "kubernetes.yaml: worker",
  ])
})

for (const [where, [name = "", ...argv]] of started)
  test(`${where}: codewright ${name} ${argv.join(" ")}`, () => {
    const parsed = parseArguments(argv, (name === "serve" ? serve : worker).table ?? [])
    expect(parsed).toMatchObject({ ok: true, value: { rest: [] } })
    if (parsed.ok && name === "serve") expect(parsed.value.value("port")).toBe("4711")
  })

test("proxies, probes and services lead to that port", () => {
  expect(read("Caddyfile")).toContain("reverse_proxy serve:4711")
  for (const key of ["containerPort", "port", "targetPort"])
    expect(new Set(under(key, kubernetes).filter((port) => port !== 80))).toEqual(new Set([4711]))
  expect(under("path", kubernetes)).toEqual(["/healthz", "/readyz"])
})
