/** Opens an address in the user's browser, where there is a desktop. */

/** `elsewhere`: the user's browser is on another machine, so it cannot come back to us. */
export type BrowserPlace = "here" | "elsewhere" | "unknown"

export function browserPlace(env: { readonly [name: string]: string | undefined }): BrowserPlace {
  if (env.SSH_CONNECTION || env.SSH_TTY) return "elsewhere"
  return process.platform === "darwin" || env.DISPLAY || env.WAYLAND_DISPLAY ? "here" : "unknown"
}

/** Whether a program was started that should open it. */
export function openInBrowser(url: string, env: { readonly [name: string]: string | undefined }): boolean {
  const program = Bun.which(process.platform === "darwin" ? "open" : "xdg-open", { PATH: env.PATH ?? "" })
  if (program === null) return false
  try {
    Bun.spawn([program, url], { stdin: "ignore", stdout: "ignore", stderr: "ignore" }).unref()
    return true
  } catch {
    return false
  }
}
