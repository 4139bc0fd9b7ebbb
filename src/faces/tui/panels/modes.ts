/** The panel of permission modes, by the names that the status line uses. */

import { modeMeanings, modeNames } from "#agent/words/mode-names.ts"
import { type PermissionMode, permissionModes } from "#agent/words/permission.ts"
import type { Effect } from "#faces/tui/effect.ts"
import type { ListDefinition } from "./panel.ts"
import type { ModesPort } from "./ports.ts"

export const modesPanel = (
  { bypassAvailable }: ModesPort,
  current: PermissionMode,
): ListDefinition<readonly Effect[]> => ({
  kind: "list",
  title: "Permission mode",
  empty: "",
  search: "none",
  enterLabel: "select",
  load: async () =>
    permissionModes.map((mode) => ({
      key: mode,
      text: modeNames[mode],
      facts: `${modeMeanings[mode]}${mode === "bypassPermissions" && !bypassAvailable ? " (not available)" : ""}`,
      ...(mode === current && { mark: "current" as const }),
    })),
  async choose({ key }) {
    const mode = permissionModes.find((known) => known === key)
    if (mode === "bypassPermissions" && !bypassAvailable) return { kind: "stays", note: `Not available: ${bypassHow}.` }
    return {
      kind: "closes",
      result:
        mode === undefined || mode === current ? [] : [{ kind: "submit", op: { type: "set_mode", mode }, says: true }],
    }
  },
})

const bypassHow = "start with --allow-dangerously-skip-permissions"
