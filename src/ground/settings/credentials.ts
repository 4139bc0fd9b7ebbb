/** The setting that says which credentials sandboxed commands may use, and at which hosts. */

import type { SettingKind } from "./kinds.ts"
import { list, object, text } from "./kinds.ts"
import type { CredentialSettings, SandboxSettings } from "./settings.ts"

const host: SettingKind<string> = {
  json: { type: "string", pattern: "^(\\*\\.)?[A-Za-z0-9_.-]+(:[0-9]{1,5})?$" },
  check: (value, path) =>
    // A wildcard for everything below a top-level name would mean other people's hosts.
    typeof value === "string" && /^(?:\*\.(?=[^.]+\.))?[\w-]+(?:\.[\w-]+)*(?::\d{1,5})?$/.test(value)
      ? []
      : [{ kind: "wrong", path, wanted: 'a host, such as "api.example.com", "*.example.com" or "git.corp:8443"' }],
}

const name: SettingKind<string> = {
  json: { type: "string", pattern: "^[A-Za-z_][A-Za-z0-9_]*$" },
  check: (value, path) =>
    typeof value === "string" && /^[A-Za-z_]\w*$/.test(value)
      ? []
      : [{ kind: "wrong", path, wanted: 'the name of a variable, such as "MY_TOKEN"' }],
}

const credential: SettingKind<CredentialSettings> = object<CredentialSettings>(
  { env: name, file: text, hosts: list(host) },
  ["hosts"],
)

const each: SettingKind<CredentialSettings> = {
  get json() {
    return { ...credential.json, oneOf: [{ required: ["env"] }, { required: ["file"] }] }
  },
  check(value, path) {
    const complaints = credential.check(value, path)
    const keys = typeof value === "object" && value !== null ? Object.keys(value) : []
    if (complaints.length > 0 || keys.includes("env") !== keys.includes("file")) return complaints
    return [{ kind: "wrong", path, wanted: 'an object with "hosts" and either "env" or "file"' }]
  },
}

const entries = list(each)

export const credentials: SettingKind<Exclude<SandboxSettings["credentials"], undefined>> = {
  get json() {
    return { anyOf: [{ type: "string", enum: ["off"] }, entries.json] }
  },
  check(value, path) {
    if (value === "off") return []
    if (Array.isArray(value)) return entries.check(value, path)
    return [
      { kind: "wrong", path, wanted: '"off" or a list, such as [{"env": "MY_TOKEN", "hosts": ["api.example.com"]}]' },
    ]
  },
}
