/** What `--version` prints. */

import { isDrivenBySdk } from "#ground/settings/driven-by.ts"
import { protocolVersion, version } from "#lib/version.ts"

/** An SDK asks which protocol it can speak, so it gets that number first; everyone else asks which program this is. */
export const versionText = (): string =>
  isDrivenBySdk()
    ? `${protocolVersion} (the protocol of Claude Code ${protocolVersion}, spoken by Codewright ${version})`
    : `${version} (Codewright)`
