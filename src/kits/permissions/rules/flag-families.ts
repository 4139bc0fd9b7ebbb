/** What several programs have in common: flags that make them work elsewhere or start another one. */

import type { Bundles } from "./guarded-words.ts"

export interface RedirectingFlags {
  /** Flags that name a file or folder, which must be in the workspace. */
  readonly places?: readonly string[]
  /** Flags that start something, write what the rule does not name, or reach somebody else. */
  readonly starts?: readonly string[]
  /** Only before the first argument that is not a flag: after it they mean something else. */
  readonly atStart?: true
  /** Only after one of these subcommands. */
  readonly of?: readonly string[]
  /** Letters may stand together behind one dash; these take a value, which ends them. */
  readonly bundles?: Bundles
  /** Words that follow the program in this order, ignoring flags: what they start is in none of its flags. */
  readonly subcommands?: readonly string[]
  /** Any word that looks like this starts something or leaves the workspace. */
  readonly words?: RegExp
  /** They do so behind `--` too, where no flags are read. */
  readonly pastDashes?: true
  /** The same for the first word after the subcommand. */
  readonly first?: RegExp
  /** Only if the rule itself has a word like this. */
  readonly ifNamed?: RegExp
  /** Only if the rule names an address: another one, and these flags, are not what it was given for. */
  readonly addresses?: true
}

export const packages: RedirectingFlags = {
  places: ["--prefix", "-C", "--dir", "--cwd"],
  starts: [
    "--script-shell",
    "--node-options",
    "--userconfig",
    "--globalconfig",
    "--pnpmfile",
    "--registry",
    "--shell",
    "--git",
    "--editor",
    "--viewer",
    "--browser",
    "--proxy",
    "--https-proxy",
  ],
}
export const modules: RedirectingFlags = {
  starts: ["--import", "--require", "-r", "--loader", "--experimental-loader", "--preload"],
}
export const compiler: RedirectingFlags = { words: /^(?:@|-wrapper|-fplugin|--?specs|-B|--?ld-path|-fuse-ld=.*\/)/ }
export const editor: RedirectingFlags = {
  starts: ["-c", "--cmd", "-S", "-s", "-u", "-U", "-w", "-W", "-i"],
  words: /^\+/,
}

/** A container with access to the machine itself does not contain anything. */
export const container: RedirectingFlags = {
  places: ["-v", "--volume", "--env-file", "-f", "--file", "--project-directory", "--iidfile", "--cidfile"],
  starts: [
    "--privileged",
    "--pid",
    "--ipc",
    "--uts",
    "--userns",
    "--cgroupns",
    "--cap-add",
    "--device",
    "--volumes-from",
    "--security-opt",
    "--volume-driver",
  ],
  words: /(?:^|[,=])(?:src|source)=(?:\/|~|\.\.)|^--net(?:work)?=host$|^host$|(?:^|,)dest=(?:\/|~|\.\.)/,
}

export const cluster: RedirectingFlags = {
  starts: [
    "--kubeconfig",
    "--context",
    "--cluster",
    "--user",
    "--server",
    "-s",
    "--token",
    "--as",
    "--as-group",
    "--as-uid",
    "--certificate-authority",
    "--client-certificate",
    "--client-key",
    "--insecure-skip-tls-verify",
    "--tls-server-name",
    "--username",
    "--password",
    "--cache-dir",
    "--profile-output",
  ],
  bundles: "nolfckLR",
}

export const maven: readonly RedirectingFlags[] = [
  {
    places: ["-f", "--file"],
    starts: ["-s", "--settings", "-gs", "--global-settings", "-t", "--toolchains", "-gt", "--global-toolchains"],
    // Goals of a plugin, what publishes, and properties that name programs or are passed to one.
    words:
      /^[A-Za-z][\w.-]*(?::[\w.-]+)+(?:@[\w.-]+)?$|^(?:deploy|site-deploy)$|^-?-?D?(?:argLine|jvm|exec\.|maven\.ext|[\w.-]*(?:[eE]xecutable|[jJ]avaHome|[aA]gent|[cC]ommand|bootclasspath))[^=]*=|^--?D?[\w.-]+=.*(?:-javaagent|-agent(?:lib|path)|-XX:On)/,
  },
]

export const gradle: readonly RedirectingFlags[] = [
  {
    places: ["-p", "--project-dir", "-b", "--build-file", "-c", "--settings-file", "--include-build"],
    starts: ["-I", "--init-script", "-g", "--gradle-user-home"],
    words: /^-D(?:org\.gradle\.(?:jvmargs|java\.home|user\.home)|java\.home)|-javaagent/,
  },
]

export const pip: RedirectingFlags = {
  starts: [
    "-i",
    "--index-url",
    "--extra-index-url",
    "-f",
    "--find-links",
    "--proxy",
    "--trusted-host",
    "--config-settings",
    "--global-option",
    "--build-option",
    "--python",
    "--target",
    "--prefix",
    "--root",
  ],
}

export const fetcher: RedirectingFlags = {
  addresses: true,
  starts: [
    "--next",
    "-:",
    "--url",
    "-o",
    "--output",
    "--output-dir",
    "--output-document",
    "-O",
    "--remote-name",
    "--remote-name-all",
    "-J",
    "--remote-header-name",
  ],
  bundles: "HdXAeFubwmrYyzCPoTKxDcEUQt",
}
