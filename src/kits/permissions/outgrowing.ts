/** What makes programs work elsewhere or start another one, as data: a rule that ends in a star was not given for it. */

export interface Outgrowing {
  readonly places?: readonly string[]
  readonly starts?: readonly string[]
  /** Only before the first argument that is not a flag: after it they mean something else. */
  readonly atStart?: true
  /** Only after one of these subcommands. */
  readonly of?: readonly string[]
  readonly bundles?: true
  /** Words that follow the program in this order, ignoring flags: what they start is in none of its flags. */
  readonly deeds?: readonly string[]
  /** Any word that looks like this starts something or leaves the workspace. */
  readonly words?: RegExp
}

const packages: Outgrowing = {
  places: ["--prefix", "-C", "--dir", "--cwd"],
  starts: ["--script-shell", "--node-options", "--userconfig", "--globalconfig", "--pnpmfile"],
}
const modules: Outgrowing = {
  starts: ["--import", "--require", "-r", "--loader", "--experimental-loader", "--preload"],
}
const compiler: Outgrowing = { words: /^(?:@|-wrapper|-fplugin|--?specs|-B)/ }
const editor: Outgrowing = { starts: ["-c", "--cmd", "-S", "-s", "-u"], words: /^\+/ }

/** A container with access to the machine itself does not contain anything. */
const container: Outgrowing = {
  places: ["-v", "--volume", "--env-file", "-f", "--file"],
  starts: ["--privileged", "--pid", "--ipc", "--userns", "--cap-add", "--device", "--volumes-from", "--security-opt"],
  words: /(?:^|[,=])(?:src|source)=(?:\/|~|\.\.)/,
}

const database = /(?:^|\s)\\(?:!|copy|g|gx|i|ir|o|w)(?:\s|$)|\bprogram\b|\b(?:into\s+(?:out|dump)file|load_file)\b/i

export const outgrowings: { readonly [program: string]: readonly Outgrowing[] } = {
  bun: [packages, modules, { deeds: ["x"] }],
  cargo: [{ places: ["-C", "--manifest-path"], starts: ["--config"] }],
  cc: [compiler],
  clang: [compiler],
  curl: [{ starts: ["-K", "--config", "--unix-socket", "--abstract-unix-socket", "--proxy"], bundles: true }],
  deno: [{ words: /^(?:https?:|npm:|jsr:|-$)/i }],
  docker: [{ starts: ["-H", "--host", "--config", "-c", "--context"], atStart: true }, container],
  "docker-compose": [container],
  ex: [editor],
  "g++": [compiler],
  gcc: [compiler],
  gh: [
    { deeds: ["alias", "set"] },
    { deeds: ["alias", "import"] },
    { deeds: ["auth", "token"] },
    { deeds: ["extension", "exec"] },
    { deeds: ["extension", "install"] },
  ],
  git: [
    {
      places: ["-C", "--git-dir", "--work-tree"],
      starts: ["-c", "--exec-path", "--config-env", "-p", "--paginate"],
      atStart: true,
    },
    { starts: ["--upload-pack", "--receive-pack", "--open-files-in-pager", "--ext-diff", "--textconv"] },
    { starts: ["-u", "-c", "--config", "--template"], of: ["clone", "init"] },
    { starts: ["-O"], of: ["grep"], bundles: true },
    { starts: ["--exec"], of: ["push", "ls-remote", "archive", "rebase", "fetch-pack", "send-pack"] },
    { starts: ["-x"], of: ["rebase", "difftool"] },
    { deeds: ["bisect", "run"] },
    { deeds: ["credential"] },
    { deeds: ["cvsimport"] },
    { deeds: ["daemon"] },
    { deeds: ["difftool"] },
    { deeds: ["fast-import"] },
    { deeds: ["for-each-repo"] },
    { deeds: ["hook"] },
    { deeds: ["instaweb"] },
    { deeds: ["maintenance", "start"] },
    { deeds: ["mergetool"] },
    { deeds: ["p4"] },
    { deeds: ["send-email"] },
    { deeds: ["shell"] },
    { deeds: ["submodule", "foreach"] },
    { deeds: ["submodule--helper"] },
    { deeds: ["svn"] },
    { deeds: ["upload-pack"] },
    // `ext::sh -c …` and similar are programs that git talks to.
    { words: /^[A-Za-z][\w+.-]*::/ },
  ],
  go: [
    {
      places: ["-C", "-modfile", "-overlay"],
      starts: ["-toolexec", "-exec", "-vettool"],
      words: /-extld/,
    },
  ],
  gradle: [{ places: ["-p", "--project-dir", "-b", "--build-file"], starts: ["-I", "--init-script"] }],
  helm: [{ starts: ["--post-renderer", "--kubeconfig"] }],
  kubectl: [
    {
      starts: ["--kubeconfig"],
      // They run or open something in the cluster, or show its secrets.
      words: /^(?:attach|cp|debug|edit|exec|port-forward|proxy|run)$|(?:^|[,/])secrets?(?:[,/.]|$)/i,
    },
  ],
  less: [{ starts: ["-k", "--lesskey-file", "--lesskey-src", "--lesskey-content"], words: /^\+/ }],
  make: [
    {
      places: ["-C", "--directory", "-f", "--file", "--makefile", "-I", "--include-dir"],
      starts: ["--eval"],
      bundles: true,
      // What is set for one run may be executed in every line of it.
      words:
        /^(?:SHELL|MAKE\w*|\.SHELLFLAGS|CC|CXX|CPP|CXXCPP|LD|AS|AR|RANLIB|NM|STRIP|RM|CP|MV|LN|MKDIR|INSTALL|AWK|SED|GREP|FIND|PYTHON\d*|NODE|NPM|NPX|YARN|PNPM|BUN|GO|CARGO|RUSTC|JAVA|JAVAC|MVN|GRADLE|DOCKER|KUBECTL|GIT|CURL|WGET|TAR|\w*(?:CMD|COMMAND|SHELL|EXEC|RUNNER|COMPILER|TOOL|BIN|PROGRAM))[:+?]?=|^[\w.]+[:+?!]?=.*[\s;&|`$<>(){}'"\\]/,
    },
  ],
  man: [{ starts: ["-P", "--pager", "-H", "--html"] }],
  mariadb: [{ starts: ["--pager", "--tee", "--init-command"], words: database }],
  mvn: [{ places: ["-f", "--file"] }],
  mysql: [
    { starts: ["--pager", "--tee", "--init-command"], words: /(?:^|[\s;])(?:system|\\!|source)(?:\s|$)|\boutfile\b/i },
  ],
  node: [modules],
  npm: [packages, { deeds: ["exec"] }, { deeds: ["x"] }, { deeds: ["explore"] }],
  nvim: [editor],
  pnpm: [packages, { deeds: ["dlx"] }, { deeds: ["exec"] }],
  podman: [container],
  psql: [{ words: database }],
  rg: [{ starts: ["--pre", "--hostname-bin", "-z", "--search-zip"], bundles: true }],
  rsync: [{ starts: ["-e", "--rsh", "--rsync-path"], bundles: true }],
  scp: [{ starts: ["-S", "-o", "-F", "-D", "-J"] }],
  sed: [
    {
      starts: ["-f", "--file"],
      words:
        /(?:^|[;{}\n!/,$\d])\s*[eWwRr](?:[\s;}]|$)|^\s*s(.).*\1.*\1[gpiImM\d]*[ewW]|[;{}\n]\s*s(.).*\2.*\2[gpiImM\d]*[ewW]/s,
    },
  ],
  sftp: [{ starts: ["-S", "-o", "-F", "-D", "-J"] }],
  sort: [{ starts: ["--compress-program"] }],
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
      ],
      bundles: true,
    },
  ],
  terraform: [{ places: ["-chdir"] }],
  vi: [editor],
  vim: [editor],
  wget: [{ starts: ["-e", "--execute", "--use-askpass", "--config"], bundles: true }],
  yarn: [packages, { deeds: ["dlx"] }, { deeds: ["exec"] }],
  zip: [{ starts: ["-TT", "--unzip-command"] }],
}
