/** What confines commands, as permissions see it: what settings ask for, and whether it works here. */

import type { SandboxCheck } from "#ground/sandbox/port.ts"
import type { SandboxSettings } from "#ground/settings/settings.ts"
import { excludedPatterns } from "#kits/permissions/leaving.ts"
import type { Walls, WallsPort } from "#kits/permissions/walls.ts"
import { sentence } from "#lib/sentence.ts"

export function openJudgedWalls(
  settings: SandboxSettings | undefined,
  check: () => Promise<
    Pick<SandboxCheck, "works"> & { readonly backend?: string; readonly why?: string; readonly fix?: string }
  >,
  isTried: () => boolean = () => false,
): WallsPort {
  const excluded = excludedPatterns(settings?.excludedCommands ?? [])
  const mayLeave = settings?.allowUnsandboxedCommands !== false
  const enabled = settings?.autoAllowBashIfSandboxed ? "auto" : "on"
  // Until the sandbox has been checked, nothing is known to be confined.
  let isLoaded = false
  let now: Walls = { reader: false, workspace: settings?.enabled ? "broken" : "off", excluded, mayLeave }

  async function load(): Promise<void> {
    const found = await check()
    isLoaded = true
    const isOn = settings?.enabled === true
    now = {
      reader: found.works,
      workspace: isOn ? (found.works ? enabled : "broken") : "off",
      ...(isOn && found.works && found.backend !== "seatbelt" && { hasOwnTemp: true }),
      ...(!found.works && { why: sentences(found.why, found.fix) }),
      excluded,
      mayLeave,
    }
  }

  return { now: () => now, isLoaded: () => isLoaded || isTried(), load }
}

const sentences = (why = "", fix = ""): string =>
  [why, fix].flatMap((text) => (text === "" ? [] : [sentence(text)])).join(" ")
