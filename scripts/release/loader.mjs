#!/usr/bin/env node
/** Starts the program of the package for this platform, which npm has installed beside this one. */

import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { createRequire } from "node:module"

const { resolve } = createRequire(import.meta.url)

/** Which C library is there decides on Linux; npm installs both where it does not know. */
const hasGlibc = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1", "/lib64/ld-linux-aarch64.so.1"].some(
  (path) => existsSync(path),
)
const own = `${process.platform}-${process.arch}`
const musl = `${own}-musl`
const wanted = process.platform !== "linux" ? [own] : hasGlibc ? [own, musl] : [musl, own]

function find() {
  for (const name of wanted) {
    try {
      return resolve(`codewright-${name}/bin/codewright`)
    } catch {
      // Not installed; perhaps the next one is.
    }
  }
  return undefined
}

const program = find()
if (program === undefined) {
  console.error(
    `error: the package codewright-${wanted[0]} is not installed. Reinstall without --omit=optional: npm install -g codewright`,
  )
  process.exit(1)
}

const args = process.argv.slice(2)
// Node's process becomes the program, where Node can do that: one process less, and signals arrive.
if (typeof process.execve === "function") {
  try {
    process.removeAllListeners("warning")
    process.on("warning", () => {})
    process.execve(program, [program, ...args], process.env)
  } catch {
    // As below, then.
  }
}
const child = spawn(program, args, { stdio: "inherit" })
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"])
  process.on(signal, () => signal === "SIGINT" || child.kill(signal))
child.on("error", (error) => {
  console.error(`error: ${program} does not start: ${error.message}`)
  process.exit(1)
})
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code)
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
})
