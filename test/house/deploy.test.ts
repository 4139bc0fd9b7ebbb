/** What operators copy: its commands are those of the program, and its files are what their readers take. */

import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { programNames } from "../kit/guides/program-names.ts"
import { callsIn } from "../kit/guides/shell-words.ts"

const folder = resolve(import.meta.dir, "../../deploy")
const read = (name: string): string => readFileSync(join(folder, name), "utf8")
const names = await programNames()
const problems = (words: readonly string[]): readonly string[] => [names.callProblem(words) ?? []].flat()

interface Container {
  readonly name: string
  readonly args: readonly string[]
  readonly livenessProbe?: object
}

test("units start commands that the program has", () => {
  for (const name of ["codewright-serve.service", "codewright-worker@.service"]) {
    const [, line = ""] = /^ExecStart=\/usr\/bin\/(.+)$/m.exec(read(name)) ?? []
    const calls = callsIn(line)
    expect([name, calls.length, ...calls.flatMap(({ words }) => problems(words))]).toEqual([name, 1])
  }
})

test("compose starts commands that the program has", () => {
  const { services } = Bun.YAML.parse(read("compose.yaml")) as {
    services: Record<string, { image: string; command?: string[]; env_file?: string[] }>
  }
  const ours = Object.entries(services).filter(([, { image }]) => image === "codewright")
  expect(ours.map(([name]) => name)).toEqual(["serve", "worker"])
  for (const [, { command = [] }] of ours) expect(problems(command)).toEqual([])
  // The proxy leads to where the server listens.
  expect(read("Caddyfile")).toContain("reverse_proxy serve:4711")
})

test("manifests start commands that the program has, and ask where it answers", () => {
  const documents = read("kubernetes.yaml")
    .split(/^---$/m)
    .map((text) => Bun.YAML.parse(text) as { kind: string; spec: { template?: { spec: { containers: Container[] } } } })
  expect(documents.map(({ kind }) => kind)).toEqual(["Deployment", "Deployment", "Service", "PersistentVolumeClaim"])
  const containers = documents.flatMap(({ spec }) => spec.template?.spec.containers ?? [])
  for (const { args } of containers) expect(problems(args)).toEqual([])
  expect(JSON.stringify(containers[0]?.livenessProbe)).toContain('"/healthz"')
})
