/** What `--version` prints. */

import { isDrivenBySdk } from "#ground/settings/driven-by.ts"
import { build } from "#lib/build.ts"
import { protocolVersion, version } from "#lib/version.ts"

/** An SDK reads the protocol version, so that number comes first; people want to know the program. */
const versionText = (): string =>
  isDrivenBySdk()
    ? `${protocolVersion} (the protocol of Claude Code ${protocolVersion}, spoken by Codewright ${version})`
    : `${version} (Codewright)`

/** With `--verbose`: what a bug report needs, and what somebody needs who wants to build the same file. */
const longVersionText = (): string =>
  [
    versionText(),
    `commit   ${build.commit ?? "not built: runs from source"}`,
    ...(build.date === undefined ? [] : [`date     ${build.date}`]),
    `target   ${build.target ?? `${process.platform}-${process.arch}`}`,
    `runtime  Bun ${Bun.version} (${Bun.revision.slice(0, 9)})`,
    `program  ${process.execPath}`,
  ].join("\n")

/** For whatever stands on the command line beside `--version`. */
export const versionFor = (words: readonly string[]): string =>
  words.includes("--verbose") ? longVersionText() : versionText()
