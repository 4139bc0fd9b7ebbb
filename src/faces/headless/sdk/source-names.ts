/** Where settings and rules come from, in the words of clients. */

const names: { readonly [source: string]: string } = {
  managed: "policySettings",
  "command line": "flagSettings",
  "local settings": "localSettings",
  "project settings": "projectSettings",
  "user settings": "userSettings",
}

/** Undefined for what clients know nothing of: the environment and the defaults. */
export const settingsSource = (source: string): string | undefined => names[source]

/** Of a rule or a folder: flags say it for this run. */
export const permissionSource = (source: string): string =>
  source === "command line" ? "cliArg" : (names[source] ?? source)
