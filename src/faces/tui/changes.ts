/** Patches as git writes them, read back. */

import type { FileDiff } from "#agent/words/display.ts"
import { hunksInPatch } from "#lib/diff.ts"

/** Files without lines, such as binary ones, have no hunks. */
export function patchFiles(patch: string): readonly FileDiff[] {
  return patch
    .split(/^(?=diff --git )/m)
    .filter((part) => part.startsWith("diff --git "))
    .map((part) => {
      const lines = part.split("\n")
      const first = lines.findIndex((line) => line.startsWith("@@ "))
      const head = first === -1 ? lines : lines.slice(0, first)
      return {
        path: pathOf(head),
        created: head.some((line) => line.startsWith("new file mode ")),
        hunks: hunksInPatch(part),
      }
    })
}

function pathOf(head: readonly string[]): string {
  const named = (mark: string): string | undefined =>
    head.find((line) => line.startsWith(mark) && !line.endsWith("/dev/null"))?.slice(mark.length)
  const path = named("+++ ") ?? named("--- ") ?? head[0]?.replace(/^diff --git .* (?="?b\/)/, "") ?? ""
  return unquoted(path.replace(/\t$/, "")).replace(/^[ab]\//, "")
}

/** Git quotes names with other than plain letters. */
function unquoted(path: string): string {
  if (!/^".*"$/s.test(path)) return path
  const bytes: number[] = []
  for (const [, octal, sign, plain] of path.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8))
    else bytes.push(...Buffer.from(sign === undefined ? (plain ?? "") : (signs[sign] ?? sign)))
  }
  return Buffer.from(bytes).toString("utf8")
}

const signs: { readonly [letter: string]: string } = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\u0007",
  b: "\b",
  f: "\f",
  v: "\v",
}
