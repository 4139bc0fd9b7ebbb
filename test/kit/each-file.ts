/**
 * Loaded by `bunfig.toml` before every test file. Most files share a process and its modules with others, so each must
 * leave the process as it found it, and no folders.
 */

import { afterAll, beforeAll, expect } from "bun:test"
import { removeLeft } from "./tmp.ts"

/** Some tests make very many files. */
const removingMs = 120_000

type Process = ReadonlyMap<string, string>

/** What tests could change that others would notice, by name. */
const processNow = (): Process =>
  new Map([
    ["the working directory", process.cwd()],
    ...Object.entries(process.env).map(([name, value = ""]): [string, string] => [`the variable ${name}`, value]),
    ...["SIGHUP", "SIGINT", "SIGTERM", "uncaughtException", "unhandledRejection"].map((event): [string, string] => [
      `the listeners for ${event}`,
      String(process.listenerCount(event)),
    ]),
  ])

let before: Process = new Map()
beforeAll(() => void (before = processNow()))

afterAll(() => {
  removeLeft()
  const after = processNow()
  const names = [...new Set([...before.keys(), ...after.keys()])]
  const changed = names.filter((name) => before.get(name) !== after.get(name))
  // A test changed these and did not put them back; files that come later in this process would see it.
  expect(changed).toEqual([])
}, removingMs)
