/** Whether permissions may be bypassed at all. */

export type BypassAnswer = { readonly allowed: true } | { readonly allowed: false; readonly why: string }

/** Not as root, outside a sandbox, unless the managed policy says so; and never if settings disable the mode. */
export function bypassAllowed({
  uid,
  isSandbox,
  managedAllowsRoot = false,
  disabled = false,
}: {
  /** Undefined on systems without user ids. */
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
