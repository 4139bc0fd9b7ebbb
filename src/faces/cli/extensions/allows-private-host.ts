/** Which rules open private addresses to a project's files. */

import { isOfUser } from "#kits/permissions/rules/user-rules.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

/** Whether a rule of the user names a host that is not on the public internet. */
export const allowsPrivateHost =
  (rules: StartupContext["loaded"]["rules"]) =>
  (host: string): boolean =>
    rules.some(
      ({ behavior, text, source }) => behavior === "allow" && isOfUser(source) && text === `WebFetch(domain:${host})`,
    )
