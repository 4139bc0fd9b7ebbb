/** Said when a server or worker starts without a model, before a session fails for it. */

import { sentence } from "#lib/sentence.ts"
import { missingModel } from "#faces/cli/models/connect.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

export function modelWarning(setting: StartupContext): string | undefined {
  const missing = missingModel(setting)
  return missing === undefined
    ? undefined
    : `warning: sessions that choose no model of another provider will fail here until one is configured and this is started again. ${sentence(missing)}`
}
