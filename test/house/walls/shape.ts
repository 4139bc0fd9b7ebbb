/** The wall against names in functions that are used before they exist. */

import { isObject, type JsonObject } from "#lib/json.ts"
import { resolve } from "node:path"

/**
 * Names inside functions that are used above their declaration, also from a closure: whether it works depends on when
 * that is called. At module level helpers stand below what uses them, and nothing runs before all of them exist. Of all
 * files in a folder, by one run of the linter, which has the syntax at hand.
 */
export async function earlyNames(root: string, folder: string): Promise<readonly string[]> {
  const found = (await lint(root, folder)).toSorted((a, b) => (a.where < b.where ? -1 : 1))
  const early = await Promise.all(found.map(async (one) => ((await isInside(root, one)) ? [describe(one)] : [])))
  return early.flat()
}

interface Found {
  readonly file: string
  readonly where: string
  readonly message: string
  /** The line of the declaration, counted from 1. */
  readonly declared: number
}

const describe = ({ where, message }: Found): string => `${where} ${message}`

async function lint(root: string, folder: string): Promise<readonly Found[]> {
  const config = resolve(import.meta.dir, "shape.json")
  const program = Bun.spawn([`${root}/node_modules/.bin/oxlint`, "-c", config, "-f", "json", folder], {
    cwd: root,
    stdout: "pipe",
    stderr: "inherit",
  })
  const { diagnostics } = JSON.parse(await new Response(program.stdout).text()) as { diagnostics: JsonObject[] }
  return diagnostics.map(read)
}

function read({ filename, message, labels }: JsonObject): Found {
  const lines = (Array.isArray(labels) ? labels : []).map((label) =>
    isObject(label) && isObject(label.span) ? Number(label.span.line) : 0,
  )
  return {
    file: String(filename),
    where: `${String(filename)}:${lines[0] ?? 0}`,
    message: String(message),
    declared: lines[1] ?? 0,
  }
}

/** A declaration of the module begins its line. */
async function isInside(root: string, { file, declared }: Found): Promise<boolean> {
  const text = await Bun.file(resolve(root, file)).text()
  return /^\s/.test(text.split("\n")[declared - 1] ?? "")
}
