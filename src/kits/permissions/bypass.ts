/** Whether permissions may be bypassed at all. */

export type BypassAnswer = { readonly allowed: true } | { readonly allowed: false; readonly why: string }

/** Root may not, outside a sandbox, unless the managed policy says so; and nobody may where settings took the mode away. */
export function bypassAllowed({
  uid,
  isSandbox,
  managedAllowsRoot = false,
  disabled = false,
}: {
  /** The user id of this process; undefined where there are none. */
  readonly uid: number | undefined
  readonly isSandbox: boolean
  /** `permissions.allowBypassAsRoot` of the managed policy. */
  readonly managedAllowsRoot?: boolean
  /** `permissions.disableBypassPermissionsMode` is set. */
  readonly disabled?: boolean
}): BypassAnswer {
  if (disabled)
    return { allowed: false, why: "Bypassing permissions is switched off by permissions.disableBypassPermissionsMode." }
  if (uid !== 0 || isSandbox || managedAllowsRoot) return { allowed: true }
  return {
    allowed: false,
    why: "Root cannot bypass permissions: one wrong command could ruin the machine. Run as another user, or set IS_SANDBOX=1 inside a container made for it.",
  }
}
