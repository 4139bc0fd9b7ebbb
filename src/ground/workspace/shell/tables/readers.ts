/** Every program that is known to only read, in some form. */

import type { Table } from "#ground/workspace/shell/program.ts"
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

/** Programs with their own table are more than a version. */
export const readers: Table = {
  ...versions,
  ...viewers,
  ...machine,
  ...network,
  ...languages,
  ...coreutils,
  ...text,
  ...search,
  ...tools,
  ...hosts,
  ...codeHost,
  git,
}
