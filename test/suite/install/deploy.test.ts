/** The files in deploy/ against the program: what they start exists, takes these options, and listens where it is looked for. */

import { expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArguments } from "#faces/cli/flags/argv.ts"
import { help as serveHelp } from "#faces/cli/fleet/serve.ts"
import { help as workerHelp } from "#faces/cli/fleet/worker.ts"
import { environmentVariables } from "#ground/settings/environment.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

const folder = join(import.meta.dir, "../../../deploy")
const read = (name: string): string => readFileSync(join(folder, name), "utf8")
const units = ["codewright-serve.service", "codewright-worker@.service"]

/** Why the program would not start so; empty if it would. */
function problemOf([command = "", ...argv]: readonly string[]): string {
  const help = { serve: serveHelp, worker: workerHelp }[command]
  if (!help) return `there is no command ${command}`
  const parsed = parseArguments(argv, help.table ?? [])
  if (!parsed.ok) return parsed.failure.message
  return parsed.value.rest.length === 0 ? "" : `it takes only options, not ${parsed.value.rest.join(" ")}`
}

const at = (value: JsonValue | undefined, ...keys: readonly (string | number)[]): JsonValue | undefined =>
  keys.reduce<JsonValue | undefined>(
    (inner, key) => (Array.isArray(inner) ? inner[Number(key)] : isObject(inner) ? inner[String(key)] : undefined),
    value,
  )
const texts = (value: JsonValue | undefined): readonly string[] => (Array.isArray(value) ? value.map(String) : [])
const names = (value: JsonValue | undefined): readonly string[] => (isObject(value) ? Object.keys(value) : [])

test.skipIf(Bun.which("systemd-analyze") === null)("units start what there is, and systemd understands them", () => {
  using there = temporaryFolder()
  for (const unit of units) {
    const text = read(unit)
    const [, line = ""] = /^ExecStart=\/usr\/bin\/codewright (.*)$/m.exec(text) ?? []
    expect([unit, problemOf(line.split(" "))]).toEqual([unit, ""])
    const known = new Set(environmentVariables.flatMap(({ name, aliases = [] }) => [name, ...aliases]))
    for (const [, name = ""] of text.matchAll(/^Environment=(\w+)=/gm)) expect([...known]).toContain(name)
    // A session is handed over within 20 seconds.
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1])).toBeGreaterThan(20)
    // The program and its user are not on this machine.
    const here = text.replaceAll("/usr/bin/codewright", "/bin/true").replace(/^User=.*$/m, "User=root")
    writeFileSync(there.join(unit), here)
  }
  for (const unit of units) {
    const path = there.join(unit.replace("@.", "@1."))
    if (path !== there.join(unit)) writeFileSync(path, readFileSync(there.join(unit)))
    const { exitCode, stderr } = Bun.spawnSync(["systemd-analyze", "verify", "--man=no", path])
    const said = stderr.toString().split("\n")
    expect([exitCode, said.filter((each) => each.includes(there.path))]).toEqual([0, []])
  }
})

test("the compose file starts what there is, and whatever it names is in it", () => {
  const compose = Bun.YAML.parse(read("compose.yaml")) as JsonObject
  const services = at(compose, "services")
  expect(names(services).toSorted()).toEqual(["database", "proxy", "serve", "worker"])
  for (const name of names(services)) {
    const service = at(services, name)
    if (at(service, "image") === "codewright") {
      const argv = texts(at(service, "command")).map((each) => each.replace("${CODEWRIGHT_NAME}", "fleet.example.com"))
      expect([name, problemOf(argv)]).toEqual([name, ""])
    }
    const depends = at(service, "depends_on")
    for (const other of [...texts(depends), ...names(depends)]) expect(names(services)).toContain(other)
    for (const volume of texts(at(service, "volumes"))) {
      const [from = ""] = volume.split(":")
      if (!from.startsWith(".")) expect(names(at(compose, "volumes"))).toContain(from)
    }
    for (const secret of texts(at(service, "secrets"))) expect(names(at(compose, "secrets"))).toContain(secret)
  }
  expect(read("Caddyfile")).toContain("reverse_proxy serve:4711")
  expect(texts(at(services, "proxy", "volumes"))).toContain("./Caddyfile:/etc/caddy/Caddyfile:ro")
})

test("the manifests have the shape that Kubernetes wants, and start and probe what there is", () => {
  const all = Bun.YAML.parse(read("kubernetes.yaml")) as JsonValue
  const found = (Array.isArray(all) ? all : [all]) as readonly JsonObject[]
  const kinds = found.map((each) => [each["apiVersion"], each["kind"], at(each, "metadata", "name")])
  expect(kinds).toEqual([
    ["apps/v1", "Deployment", "codewright-serve"],
    ["apps/v1", "Deployment", "codewright-worker"],
    ["v1", "Service", "codewright"],
    ["v1", "PersistentVolumeClaim", "codewright-state"],
  ])
  const labels: string[] = []
  for (const deployment of found.filter(({ kind }) => kind === "Deployment")) {
    const name = String(at(deployment, "metadata", "name"))
    const label = at(deployment, "spec", "template", "metadata", "labels")
    expect(at(deployment, "spec", "selector", "matchLabels")).toEqual(label as JsonObject)
    labels.push(JSON.stringify(label))
    const pod = at(deployment, "spec", "template", "spec")
    expect(Number(at(pod, "terminationGracePeriodSeconds"))).toBeGreaterThan(20)
    const container = at(pod, "containers", 0)
    const argv = texts(at(container, "args"))
    expect([name, problemOf(argv)]).toEqual([name, ""])
    const volumes = at(pod, "volumes") as readonly JsonObject[]
    for (const mount of at(container, "volumeMounts") as readonly JsonObject[])
      expect(volumes.map((volume) => volume["name"])).toContain(mount["name"] as string)
    expect(at(container, "envFrom", 0, "secretRef", "name")).toBe("codewright")
    for (const probe of ["livenessProbe", "readinessProbe"]) {
      const get = at(container, probe, "httpGet")
      if (get === undefined) continue
      expect(["/healthz", "/readyz"]).toContain(String(at(get, "path")))
      expect(at(get, "port")).toBe(at(container, "ports", 0, "containerPort") as number)
      // Requests under another name are refused.
      expect(argv).toContain(String(at(get, "httpHeaders", 0, "value")))
    }
  }
  const service = found.find(({ kind }) => kind === "Service")
  expect(labels).toContain(JSON.stringify(at(service, "spec", "selector")))
  expect(at(service, "spec", "ports", 0, "targetPort")).toBe(4711)
})
