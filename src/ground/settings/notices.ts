/** One-time notices about project settings that do not count. */

import { relative } from "node:path"
import type { LeftOut } from "./scope.ts"
import { holdsHome } from "./trust.ts"
import { visible } from "./visible.ts"

/** One line per reason, with what was left out and how to enable it; none when nothing was. */
export function leftOutLines(
  leftOut: readonly LeftOut[],
  { root, home, userFile }: { readonly root: string; readonly home: string; readonly userFile: string },
): readonly string[] {
  if (leftOut.length === 0) return []
  const listed = (why: LeftOut["why"]): string =>
    listByFile(
      leftOut.filter((left) => left.why === why && left.count > 0),
      root,
    )
  const forGood = holdsHome(root, home) ? "" : `, or trust it for good: codewright trust ${quoted(root)}`
  const untrusted = listed("untrusted")
  const changed = listed("changed")
  const secret = listed("secret")
  const never = listed("never from a project")
  const managed = listed("managed only")
  return [
    ...(untrusted === ""
      ? []
      : [
          `This folder is not trusted, so these settings were left out: ${untrusted}. ` +
            `To use them, run with --trust or CODEWRIGHT_TRUST=1${forGood}`,
        ]),
    ...(changed === ""
      ? []
      : [
          `New or changed since you trusted this folder, so left out: ${changed}. ` +
            `To look at them, start codewright here in a terminal; to trust them all: codewright trust ${quoted(root)}`,
        ]),
    ...(secret === ""
      ? []
      : [
          `Not sent, because you have not approved it: ${secret}. ` +
            `To look at it, start codewright here in a terminal; to approve it: codewright trust ${quoted(root)}`,
        ]),
    ...(never === ""
      ? []
      : [`These are never taken from a project's files: ${never}. Put them into ${userFile} or on the command line.`]),
    ...(managed === "" ? [] : [`These are only for the managed policy of this machine to set: ${managed}.`]),
  ]
}

function listByFile(leftOut: readonly LeftOut[], root: string): string {
  const files = Map.groupBy(leftOut, ({ file }) => file)
  return [...files]
    .map(([file, all]) => `${all.map(shown).join(", ")} (${file.startsWith(`${root}/`) ? relative(root, file) : file})`)
    .join("; ")
}

const shown = ({ key, count }: LeftOut): string => visible(count > 1 ? `${count} ${key}` : key)

const quoted = (path: string): string => (/^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`)
