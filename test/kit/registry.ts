/** A registry of npm on loopback, with packages of one file, and a project that depends on them. */

import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import type { JsonObject } from "#lib/json.ts"
import { temporaryFolder } from "./tmp.ts"

export interface Registry extends Disposable {
  /** As `allowedDomains` names it. */
  readonly host: string
  /** The paths of packages that were fetched. */
  readonly served: () => readonly string[]
  /** The files of a project that has every package. */
  readonly project: (manifest: JsonObject) => { readonly [path: string]: string }
}

const version = "1.0.0"

/** Packages by name, each with the text of its only module. */
export function openRegistry(packages: { readonly [name: string]: string }): Registry {
  const tarballs = new Map(Object.entries(packages).map(([name, text]) => [pathOf(name), packed(name, text)]))
  const served: string[] = []
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url)
      const tarball = tarballs.get(pathname)
      if (!tarball) return new Response("{}", { status: 404 })
      served.push(pathname)
      return new Response(tarball)
    },
  })
  const host = `127.0.0.1:${server.port}`
  return {
    host,
    served: () => served,
    project(manifest) {
      const dependencies = Object.fromEntries(Object.keys(packages).map((name) => [name, version]))
      const own = { name: "work", version, ...manifest, dependencies }
      const locked = Object.keys(packages).map((name) => [`node_modules/${name}`, lockOf(name)] as const)
      const lock = { name: "work", version, lockfileVersion: 3, packages: { "": own, ...Object.fromEntries(locked) } }
      return { "package.json": JSON.stringify(own), "package-lock.json": JSON.stringify(lock) }
    },
    [Symbol.dispose]: () => void server.stop(true),
  }

  function lockOf(name: string): JsonObject {
    const bytes = tarballs.get(pathOf(name)) ?? Buffer.alloc(0)
    const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`
    return { version, resolved: `http://${host}${pathOf(name)}`, integrity }
  }
}

const pathOf = (name: string): string => `/${name}/-/${name}-${version}.tgz`

function packed(name: string, text: string): Buffer {
  using folder = temporaryFolder()
  mkdirSync(folder.join("package"))
  writeFileSync(folder.join("package/package.json"), JSON.stringify({ name, version, main: "index.js" }))
  writeFileSync(folder.join("package/index.js"), text)
  const { exitCode } = Bun.spawnSync(["tar", "-czf", folder.join("all.tgz"), "-C", folder.path, "package"])
  if (exitCode !== 0) throw new Error("tar failed")
  return readFileSync(folder.join("all.tgz"))
}
