/** What `--version` prints. */

import { isDrivenBySdk } from "#ground/settings/driven-by.ts"
import { protocolVersion, version } from "#lib/version.ts"

/** An SDK reads the protocol version, so that number comes first; people want to know the program. */
export const versionText = (): string =>
  isDrivenBySdk()
    ? `${protocolVersion} (the protocol of Claude Code ${protocolVersion}, spoken by Codewright ${version})`
    : `${version} (Codewright)`
