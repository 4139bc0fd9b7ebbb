/** Every program that is known to only read, in some form. */

import type { KnownProgram, Table } from "#ground/workspace/shell/programs/program.ts"
import { lazily } from "#lib/lazily.ts"
import { codeHost } from "./code-host.ts"
import { coreutils } from "./coreutils.ts"
import { git } from "./git.ts"
import { hosts } from "./hosts.ts"
import { languages } from "./languages.ts"
import { machine } from "./machine.ts"
import { network } from "./network.ts"
import { search } from "./search.ts"
import { text } from "./text.ts"
import { tools } from "./tools.ts"
import { versions } from "./versions.ts"
import { viewers } from "./viewers.ts"

/** The commonest first: all others are made when a name is looked up in them. Programs with their own table are more than a version. */
const tables: readonly (() => Table)[] = [
  () => coreutils,
  lazily(() => ({ git: git() })),
  search,
  text,
  tools,
  languages,
  machine,
  viewers,
  network,
  hosts,
  codeHost,
  versions,
]

export function readerNamed(name: string): KnownProgram | undefined {
  for (const table of tables) if (Object.hasOwn(table(), name)) return table()[name]
  return undefined
}

export const allReaders = (): Table => Object.assign({}, ...tables.toReversed().map((table) => table()))
