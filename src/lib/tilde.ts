/** Paths as users write them: `~` for the home folder. */

export const tilde = (path: string, home: string): string =>
  path === home ? "~" : path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
