/** What makes programs work elsewhere or start another one, as data: a rule that ends in a star was not given for it. */

import {
  cluster,
  compiler,
  container,
  editor,
  fetcher,
  gradle,
  maven,
  modules,
  packages,
  pip,
  type RedirectingFlags,
} from "./flag-families.ts"
import { lazily } from "#lib/lazily.ts"

interface FlagsByProgram {
  readonly [program: string]: readonly RedirectingFlags[]
}

/** What a program's flags can redirect; made with the first question, which a session that runs no command never asks. */
export function redirectingFlags(program: string): readonly RedirectingFlags[] {
  const known = outgrowings()
  return (Object.hasOwn(known, program) ? known[program] : undefined) ?? []
}

const database = /(?:^|\s)\\(?:!|copy|g|gx|i|ir|o|w)(?:\s|$)|\bprogram\b|\b(?:into\s+(?:out|dump)file|load_file)\b/i

export const outgrowings: () => FlagsByProgram = lazily(() => ({
  ag: [{ starts: ["--pager"] }],
  apt: [{ starts: ["-o", "--option", "-c", "--config-file"] }],
  "apt-get": [{ starts: ["-o", "--option", "-c", "--config-file"] }],
  aws: [{ starts: ["--endpoint-url", "--profile", "--ca-bundle", "--no-verify-ssl"] }],
  bat: [{ starts: ["--pager", "--config-file", "--config-dir"] }],
  bazel: [
    {
      starts: [
        "--run_under",
        "--shell_executable",
        "--workspace_status_command",
        "--script_path",
        "--bazelrc",
        "--override_repository",
        "--action_env",
      ],
    },
  ],
  bun: [packages, modules, { subcommands: ["x"] }],
  cargo: [
    {
      places: ["-C", "--manifest-path", "--target-dir", "--artifact-dir", "--out-dir"],
      starts: ["--config", "-Z", "--registry", "--index"],
    },
  ],
  cc: [compiler],
  clang: [compiler],
  cmake: [
    {
      starts: ["-E", "-P", "-C", "--toolchain"],
      words: /^-D\w*(?:COMPILER|LAUNCHER|LINKER|PROGRAM|COMMAND|EXECUTABLE|TOOLCHAIN)\w*[:=]|^--eval|^-[A-Za-z]*[fE]$/,
    },
  ],
  curl: [
    {
      starts: [
        "-K",
        "--config",
        "--unix-socket",
        "--abstract-unix-socket",
        "-x",
        "--proxy",
        "--preproxy",
        "--socks4",
        "--socks4a",
        "--socks5",
        "--socks5-hostname",
        "--resolve",
        "--connect-to",
        "--doh-url",
        "--dns-servers",
        "--engine",
      ],
      places: [
        "-D",
        "--dump-header",
        "-c",
        "--cookie-jar",
        "--trace",
        "--trace-ascii",
        "--stderr",
        "--etag-save",
        "--hsts",
        "--alt-svc",
        "--libcurl",
      ],
      bundles: "HdXAeFubwmrYyzCPoTKxDcEUQt",
    },
    fetcher,
  ],
  deno: [{ words: /^(?:https?:|npm:|jsr:|-$)/i }],
  docker: [{ starts: ["-H", "--host", "--config", "-c", "--context"], atStart: true }, container],
  "docker-compose": [container],
  dotnet: [
    {
      starts: ["--test-adapter-path", "--diag", "--additionalprobingpath"],
      words: /^[-/]+(?:logger|l|dl|distributedlogger):|^@/i,
    },
  ],
  ex: [editor],
  fd: [{ starts: ["-x", "-X", "--exec", "--exec-batch"], bundles: "dtegEcSjo" }],
  fdfind: [{ starts: ["-x", "-X", "--exec", "--exec-batch"], bundles: "dtegEcSjo" }],
  "g++": [compiler],
  gcc: [compiler],
  gcloud: [{ starts: ["--impersonate-service-account", "--account", "--configuration", "--flags-file"] }],
  gh: [
    { starts: ["--upload-pack", "-u", "-c", "--config", "--template"], of: ["repo"] },
    { subcommands: ["alias", "set"] },
    { subcommands: ["alias", "import"] },
    { subcommands: ["auth", "token"] },
    { subcommands: ["extension", "exec"] },
    { subcommands: ["extension", "install"] },
  ],
  git: [
    {
      places: ["-C", "--git-dir", "--work-tree"],
      starts: ["-c", "--exec-path", "--config-env", "-p", "--paginate"],
      atStart: true,
    },
    {
      starts: [
        "--upload-pack",
        "--receive-pack",
        "--open-files-in-pager",
        "--ext-diff",
        "--textconv",
        "--unsafe-paths",
        "--separate-git-dir",
      ],
      // git writes where it is told, also into its own folder.
      words: /(?:^|[/=:])\.git(?:\/|$)/i,
    },
    {
      starts: ["--output"],
      of: "annotate blame diff diff-files diff-index diff-tree log range-diff reflog rev-list shortlog show stash whatchanged".split(
        " ",
      ),
    },
    { places: ["-o", "--output", "--output-directory"], of: ["archive", "bundle", "format-patch"] },
    { starts: ["--remote"], of: ["archive"] },
    { starts: ["-u", "-c", "--config", "--template"], of: ["clone", "init"] },
    { starts: ["-O"], of: ["grep"], bundles: "eABCmf" },
    // Another remote than the configured ones, as an address or a path.
    {
      starts: ["--repo"],
      words: /^(?:[A-Za-z][\w+.-]*:\/\/|[^/:]+@[^/:]+:|\.{0,2}\/|~|\.{1,2}$)/,
      first: /[:/]/,
      of: ["push", "pull", "fetch", "ls-remote"],
    },
    { starts: ["--exec"], of: ["push", "ls-remote", "archive", "rebase", "fetch-pack", "send-pack"] },
    { starts: ["-x"], of: ["rebase", "difftool"] },
    { subcommands: ["bisect", "run"] },
    { subcommands: ["credential"] },
    { subcommands: ["cvsimport"] },
    { subcommands: ["daemon"] },
    { subcommands: ["difftool"] },
    { subcommands: ["fast-import"] },
    { subcommands: ["for-each-repo"] },
    { subcommands: ["hook"] },
    { subcommands: ["instaweb"] },
    { subcommands: ["maintenance", "start"] },
    { subcommands: ["mergetool"] },
    { subcommands: ["p4"] },
    { subcommands: ["send-email"] },
    { subcommands: ["shell"] },
    { subcommands: ["submodule", "foreach"] },
    { subcommands: ["submodule--helper"] },
    { subcommands: ["svn"] },
    { subcommands: ["upload-pack"] },
    // `ext::sh -c …` and similar are programs that git talks to.
    { words: /^[A-Za-z][\w+.-]*::/, of: "archive clone fetch ls-remote pull push remote submodule".split(" ") },
  ],
  go: [
    {
      places: ["-C", "-modfile", "-overlay", "-pkgdir"],
      starts: ["-toolexec", "-exec", "-vettool"],
      words: /-extld|-fplugin|-wrapper/,
    },
    { starts: ["-w", "-u"], of: ["env"] },
  ],
  gradle,
  gradlew: gradle,
  helm: [
    {
      starts: [
        "--post-renderer",
        "--kubeconfig",
        "--kube-context",
        "--kube-apiserver",
        "--kube-token",
        "--kube-as-user",
        "--kube-as-group",
        "--registry-config",
        "--repository-config",
      ],
    },
    { subcommands: ["plugin", "install"] },
  ],
  java: [{ words: /^(?:@|-javaagent|-agent(?:lib|path)|-XX:(?:On\w+|Flags|VMOptionsFile)|-Xbootclasspath|-Xrun)/ }],
  journalctl: [{ starts: ["--vacuum-size", "--vacuum-time", "--vacuum-files", "--rotate", "--flush", "--root", "-D"] }],
  just: [
    {
      places: ["-f", "--justfile", "-d", "--working-directory"],
      starts: ["--shell", "--shell-arg", "-c", "--command", "--shell-command", "--set", "--chooser", "-e", "--edit"],
    },
  ],
  kubectl: [
    cluster,
    {
      // They run or open something in the cluster, or show its secrets.
      words: /^(?:attach|cp|debug|edit|exec|port-forward|proxy|run)$|(?:^|[,/])secrets?(?:[,/.]|$)/i,
    },
    { words: /^(?:-[fk]=?|--(?:filename|kustomize)=)?https?:/i, of: ["apply", "create", "delete", "replace", "diff"] },
  ],
  less: [
    {
      starts: ["-k", "--lesskey-file", "--lesskey-src", "--lesskey-content", "-o", "-O", "--log-file", "--LOG-FILE"],
      words: /^\+/,
    },
  ],
  make: [
    {
      places: ["-C", "--directory", "-f", "--file", "--makefile", "-I", "--include-dir"],
      starts: ["--eval", "-E"],
      bundles: "jloWOfCIE",
      pastDashes: true,
      // What is set for one run may be executed in every line of it.
      words:
        /^(?:SHELL|MAKE\w*|\.SHELLFLAGS|CC|CXX|CPP|CXXCPP|LD|AS|AR|RANLIB|NM|STRIP|RM|CP|MV|LN|MKDIR|INSTALL|AWK|SED|GREP|FIND|PYTHON\d*|NODE|NPM|NPX|YARN|PNPM|BUN|GO|CARGO|RUSTC|JAVA|JAVAC|MVN|GRADLE|DOCKER|KUBECTL|GIT|CURL|WGET|TAR|\w*(?:CMD|COMMAND|SHELL|EXEC|RUNNER|COMPILER|TOOL|BIN|PROGRAM))[:+?]?=|^[\w.]+[:+?!]?=.*[\s;&|`$<>(){}'"\\]/,
    },
  ],
  man: [{ starts: ["-P", "--pager", "-H", "--html"] }],
  mariadb: [{ starts: ["--pager", "--tee", "--init-command"], words: database }],
  mvn: maven,
  mvnw: maven,
  mysql: [
    { starts: ["--pager", "--tee", "--init-command"], words: /(?:^|[\s;])(?:system|\\!|source)(?:\s|$)|\boutfile\b/i },
  ],
  ninja: [{ places: ["-C", "-f"] }],
  node: [modules],
  npm: [
    packages,
    { starts: ["-c", "--call", "-p", "--package"], of: ["exec", "x"] },
    { subcommands: ["exec"] },
    { subcommands: ["x"] },
    { subcommands: ["explore"] },
  ],
  nvim: [editor],
  openssl: [{ starts: ["-engine", "-provider", "-provider-path", "-config"] }],
  pip: [pip],
  pip3: [pip],
  pnpm: [packages, { subcommands: ["dlx"] }, { subcommands: ["exec"] }],
  podman: [container],
  "pre-commit": [{ subcommands: ["try-repo"] }],
  psql: [{ starts: ["-o", "--output", "-L", "--log-file"], words: database }],
  pytest: [{ starts: ["--basetemp", "--pdbcls"] }],
  rake: [
    {
      places: ["-f", "--rakefile", "-R", "--rakelibdir"],
      starts: ["-e", "--execute", "-E", "--execute-continue", "-p", "--execute-print", "-r", "--require"],
    },
  ],
  rg: [{ starts: ["--pre", "--hostname-bin", "-z", "--search-zip"], bundles: "egtTABCmMrfjdE" }],
  rpm: [
    { starts: ["-E", "--eval", "--pipe", "--define", "-D", "--load", "--rcfile", "--macros", "--root", "--dbpath"] },
  ],
  rsync: [
    { starts: ["-e", "--rsh", "--rsync-path", "-M", "--remote-option", "--daemon", "--config"], bundles: "efTBM" },
  ],
  rustc: [{ words: /^@|linker=|^-Z|^--?codegen-backend/ }],
  scp: [{ starts: ["-S", "-o", "-F", "-D", "-J"] }],
  sed: [
    { starts: ["-f", "--file"], bundles: "eflEi" },
    // What prints should not begin to edit.
    { starts: ["-i", "--in-place"], bundles: "efl", ifNamed: /^(?:-[A-Za-z]*n[A-Za-z]*|--quiet|--silent)$/ },
  ],
  sftp: [{ starts: ["-S", "-o", "-F", "-D", "-J"] }],
  sort: [{ starts: ["--compress-program", "-o", "--output"], bundles: "kStT" }],
  sqlite3: [
    {
      starts: ["-init"],
      words:
        /(?:^|\n)\s*\.(?:shell|system|output|once|load|import|read|excel|www|log|archive|ar|cd|save|backup|clone|dump)\b|\b(?:load_extension|writefile|readfile|edit|fts3_tokenizer)\s*\(/i,
    },
  ],
  tar: [
    {
      starts: [
        "-F",
        "-I",
        "-P",
        "-T",
        "--absolute-names",
        "--checkpoint-action",
        "--files-from",
        "--info-script",
        "--new-volume-script",
        "--rmt-command",
        "--rsh-command",
        "--to-command",
        "--use-compress-program",
        "-g",
        "--listed-incremental",
        "--index-file",
        "--volno-file",
        "--remove-files",
        "--recursive-unlink",
      ],
      bundles: "bfCHKLNTVXgIF",
    },
  ],
  terraform: [
    { places: ["-chdir", "-out", "-state", "-state-out"], starts: ["-plugin-dir", "-destroy", "-backend-config"] },
  ],
  "ts-node": [modules, { starts: ["-e", "--eval", "-p", "--print", "-O", "--compiler-options"] }],
  tsx: [modules, { starts: ["-e", "--eval", "-p", "--print"] }],
  vi: [editor],
  vim: [editor],
  wget: [
    {
      starts: ["-e", "--execute", "--use-askpass", "--config", "-i", "--input-file"],
      places: ["-O", "--output-document", "-o", "--output-file", "-a", "--append-output", "-P", "--directory-prefix"],
      bundles: "aeioBtOTwQPUlARDIX",
    },
    { addresses: true, starts: ["-O", "--output-document", "-P", "--directory-prefix"], bundles: "aeioBtOTwQPUlARDIX" },
  ],
  yarn: [packages, { subcommands: ["dlx"] }, { subcommands: ["exec"] }],
  xh: [{ starts: ["--proxy", "-o", "--output", "-d", "--download", "--session"] }],
  yq: [{ starts: ["-i", "--inplace", "-s", "--split-exp"], bundles: "o" }],
  zip: [
    { starts: ["-TT", "--unzip-command", "-m", "--move", "-b", "--temp-path"], words: /^-\w*TT/, bundles: "btnxid" },
  ],
}))
