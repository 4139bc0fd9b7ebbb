/** npm settings that come with a project: plain ones only affect appearance and how a manifest is written. */

const plainKeys: ReadonlySet<string> = new Set(
  "access audit audit-level auto-install-peers color dedupe-peer-dependents engine-strict enable-pre-post-scripts fund git-tag-version hoist include-workspace-root legacy-peer-deps link-workspace-packages lockfile min-release-age node-linker omit optional package-lock prefer-dedupe prefer-frozen-lockfile prefer-offline prefer-workspace-packages progress provenance public-hoist-pattern resolution-mode save save-exact save-peer save-prefix save-workspace-protocol shamefully-hoist sign-git-tag strict-peer-deps strict-peer-dependencies tag-version-prefix unicode update-notifier".split(
    " ",
  ),
)

const plainValue = /^[\w.,*^~"' -]*$/

/** Whether every line is a comment, a plain setting, or a default about npm's own registry. */
export function isPlainNpmrc(text: string): boolean {
  return text.split(/\r\n|\n|\r/).every((line) => {
    const setting = line.trim()
    if (setting === "" || /^[#;]/.test(setting)) return true
    if (/^registry\s*=\s*https:\/\/registry\.npmjs\.org\/?$/.test(setting)) return true
    if (/^\/\/registry\.npmjs\.org\/:_authToken\s*=\s*\$\{(?:NPM_TOKEN|NODE_AUTH_TOKEN)\}$/.test(setting)) return true
    const [, key, value] = /^([a-z][a-z-]*)(?:\[\])?\s*(?:=\s*(.*))?$/.exec(setting) ?? []
    return key !== undefined && plainKeys.has(key) && plainValue.test(value ?? "")
  })
}
