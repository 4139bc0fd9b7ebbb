/** Paths as users write them: `~` for the home folder. */

export const tilde = (path: string, home: string): string =>
  path === home ? "~" : path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path

/** Relative inside the project. */
export const shortPath = (path: string, { cwd, home }: { readonly cwd: string; readonly home: string }): string =>
  path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : tilde(path, home)
