/** The version, as code, so that `--version` reads no file. A test compares it with package.json. */

import { build } from "./build.ts"

export const version: string = build.version ?? "0.1.0"

/** The release of Claude Code whose protocol for SDKs and scripts this version speaks. */
export const protocolVersion = "2.1.325"
