/** A table of the places where people and programs keep secrets. */

interface SecretRow {
  readonly because: string
  readonly paths: readonly string[]
}

const row = (because: string, ...paths: readonly string[]): SecretRow => ({ because, paths })

/** Below the home folder. */
export const secretsAtHome: readonly SecretRow[] = [
  row("SSH keys", ".ssh"),
  row("GnuPG keys", ".gnupg"),
  row(
    "cloud credentials",
    ".aws",
    ".azure",
    ".config/gcloud",
    ".config/doctl",
    ".config/hcloud",
    ".config/linode-cli",
    ".config/scw",
    ".boto",
    ".s3cfg",
    ".oci",
    ".aliyun",
    ".bluemix",
    ".ibmcloud",
    ".databrickscfg",
    ".snowflake",
    ".config/rclone",
    ".terraform.d/credentials.tfrc.json",
    ".terraformrc",
    ".pulumi/credentials.json",
    ".vault-token",
    ".fly",
    ".config/netlify",
    ".config/vercel",
    ".local/share/com.vercel.cli",
    ".config/heroku",
    ".config/firebase",
    ".config/configstore",
    ".config/wrangler",
    ".wrangler",
    ".railway",
  ),
  row("container and cluster credentials", ".kube", ".docker/config.json", ".config/containers/auth.json", ".helm"),
  row("passwords of network hosts", ".netrc", "_netrc", ".authinfo", ".authinfo.gpg", ".pgpass", ".my.cnf"),
  row(
    "Git credentials",
    ".git-credentials",
    ".config/git/credentials",
    ".config/gh",
    ".config/hub",
    ".config/glab-cli",
  ),
  row(
    "credentials of package registries",
    ".pypirc",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".gradle/gradle.properties",
    ".nuget/NuGet/NuGet.Config",
    ".composer/auth.json",
    ".config/composer/auth.json",
    ".hex/hex.config",
    ".config/pypoetry/auth.toml",
    ".huggingface/token",
    ".cache/huggingface/token",
    ".kaggle",
  ),
  row(
    "browser profiles",
    ".mozilla",
    ".config/google-chrome",
    ".config/google-chrome-beta",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/opera",
    ".config/vivaldi",
    ".config/librewolf",
    ".librewolf",
    ".zen",
    "snap/firefox",
    "snap/chromium",
    ".var/app/org.mozilla.firefox",
    ".var/app/com.google.Chrome",
    ".var/app/org.chromium.Chromium",
    ".var/app/com.brave.Browser",
    ".thunderbird",
    "Library/Application Support/Google/Chrome",
    "Library/Application Support/Chromium",
    "Library/Application Support/Firefox",
    "Library/Application Support/BraveSoftware",
    "Library/Application Support/Microsoft Edge",
    "Library/Application Support/Arc",
    "Library/Application Support/Vivaldi",
    "Library/Safari",
    "Library/Cookies",
    "Library/Containers/com.apple.Safari",
  ),
  row(
    "passwords and keyrings",
    ".password-store",
    ".local/share/keyrings",
    ".gnome2/keyrings",
    ".local/share/kwalletd",
    ".kde/share/apps/kwallet",
    ".config/keepassxc",
    ".config/Bitwarden",
    ".config/Bitwarden CLI",
    ".config/1Password",
    ".config/op",
    ".lastpass",
    ".config/sops",
    ".config/age",
    "Library/Keychains",
    "Library/Application Support/1Password",
    "Library/Application Support/Bitwarden",
  ),
  row(
    "shell history",
    ".bash_history",
    ".zsh_history",
    ".zhistory",
    ".histfile",
    ".sh_history",
    ".zsh_sessions",
    ".bash_sessions",
    ".local/share/fish/fish_history",
    ".local/share/atuin",
  ),
  row(
    "history of another program",
    ".python_history",
    ".node_repl_history",
    ".psql_history",
    ".mysql_history",
    ".sqlite_history",
    ".rediscli_history",
    ".mongosh",
  ),
  row(
    "credentials of a coding agent",
    ".claude/.credentials.json",
    ".claude.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".gemini/google_accounts.json",
    ".config/github-copilot",
    ".local/share/opencode/auth.json",
    ".continue/config.json",
    ".cursor/cli-config.json",
    ".aider.conf.yml",
  ),
  row("messages", ".config/Signal", ".config/Slack", ".config/discord", "Library/Messages", "Library/Mail"),
  row("wallets", ".bitcoin", ".ethereum", ".electrum", ".config/solana"),
]

/** They contain credentials only sometimes, and programs need them otherwise. */
export const perhapsSecretAtHome: readonly {
  readonly path: string
  readonly secret: RegExp
  readonly because: string
}[] = [
  { path: ".npmrc", secret: /_auth|_password/i, because: "a token of a package registry" },
  { path: ".yarnrc.yml", secret: /npmAuth/i, because: "a token of a package registry" },
  { path: ".config/pip/pip.conf", secret: /:\/\/[^/\s]*@/, because: "a password of a package registry" },
  { path: ".pip/pip.conf", secret: /:\/\/[^/\s]*@/, because: "a password of a package registry" },
  { path: ".bunfig.toml", secret: /token|password/i, because: "a token of a package registry" },
]

interface StateRow extends SecretRow {
  /** Tools never get it, whatever rules and modes say. */
  readonly isClosed?: true
}

export const secretsInState: readonly StateRow[] = [
  { ...row("Codewright's own credentials", "key.json", "server-token", "mcp-logins"), isClosed: true },
  row("Codewright's own credentials", "mcp.json"),
  { ...row("the tasks and mail of teams", "teams"), isClosed: true },
  { ...row("the database of codewright serve", "database"), isClosed: true },
  { ...row("sessions and repositories of codewright serve", "fleet"), isClosed: true },
  row("sessions of other projects", "projects", "file-history", "history", "logs", "reports", "cache/sessions.sqlite"),
]

/** What no tool of a session may read or change in the state folder. */
export const closedInState: readonly SecretRow[] = secretsInState.filter(({ isClosed }) => isClosed)

/** Anywhere on the machine. */
export const secretsInSystem: readonly SecretRow[] = [
  row(
    "passwords and keys of the system",
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/master.passwd",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/ssl/private",
    "/etc/NetworkManager/system-connections",
    "/etc/wpa_supplicant",
    "/etc/krb5.keytab",
  ),
  row(
    "it controls containers or the machine",
    "/run/docker.sock",
    "/run/docker",
    "/run/podman",
    "/run/containerd",
    "/run/crio",
    "/run/libvirt",
    "/run/lxd.socket",
    "/run/snapd.socket",
    "/run/systemd/private",
    "/run/dbus",
    "/var/run/docker.sock",
    "/var/snap/lxd/common/lxd/unix.socket",
  ),
  row("secrets of a container", "/run/secrets", "/var/run/secrets"),
  row("sockets and pipes of other programs", "/run"),
]

/** What programs need inside hidden folders: on some systems all programs are links from there. */
export const neededInSystem: readonly SecretRow[] = [
  row("programs of the system", "/run/current-system", "/run/booted-system", "/run/opengl-driver", "/run/host"),
  row("disks that are plugged in", "/run/media"),
]
