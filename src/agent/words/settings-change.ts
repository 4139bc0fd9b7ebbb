/** A settings file that has changed while a session is open. */

export interface SettingsChange {
  readonly path: string
  readonly source: "user_settings" | "project_settings" | "local_settings" | "policy_settings"
}
