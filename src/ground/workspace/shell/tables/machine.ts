/** The machine: its hardware, services, network and users, where they are only read. */

import { lazily } from "#lib/lazily.ts"
import type { Family, Table } from "#ground/workspace/shell/programs/program.ts"
import type { Shape } from "#ground/workspace/shell/shape.ts"
import type { Sorted } from "#ground/workspace/shell/sort-out.ts"
import { asking } from "./asking.ts"

const help = "--help --version"

/** The first word after the object is the action; without one it is shown. */
const shown: Shape = { operands: "word*", unless: startsWith("show", "list", "ls", "lst") }

const ip: () => Family = lazily(() => ({
  idleFlags: ["-br", "-brief", "-c", "-4", "-6", "-j", "-json", "-s", "-stats", "-d", "-details", "-o", "-oneline"],
  alone: { flags: "-V -Version" },
  subcommands: {
    a: shown,
    addr: shown,
    address: shown,
    l: shown,
    link: shown,
    n: shown,
    neigh: shown,
    r: shown,
    route: { operands: "word*", unless: startsWith("show", "list", "ls", "lst", "get") },
    rule: shown,
  },
}))

/** No -H and no -M, which reach other machines, and no --root. */
const unitFlags =
  "-a -l -n:number -q -t:word --all --full --lines:number --no-legend --no-pager --plain --quiet --reverse --state:word --type:word --user --system --failed"
const units: Shape = { flags: unitFlags, operands: "word*" }

export const machine: () => Table = lazily(() => ({ ...systems(), ...filesAndPackages() }))

const systems = (): Table => ({
  w: { flags: "-h -s -f -i -u", asks: "machine" },
  who: { flags: `-a -b -d -H -l -q -r -s -t -T -u -w --all --boot --count --heading ${help}`, asks: "machine" },
  users: { flags: help, asks: "machine" },
  last: { flags: "-n:number -a -F -i -w -x", operands: "word*", digits: true },
  runlevel: {},
  pstree: { flags: "-a -c -g -h -l -n -p -s -S -t -T -u -V", operands: "word?", asks: "machine" },
  // No top, which makes a folder for its settings.
  lsusb: { flags: "-t -v -V --tree --verbose --version" },
  // No -q, which asks a name server for devices that are not known.
  lspci: { flags: "-k -m -mm -n -nn -t -v -vv --version" },
  lsmod: {},
  lsb_release: { flags: "-a -c -d -i -r -s -v --all --codename --description --id --release --short" },
  sw_vers: { flags: "-productName -productVersion -buildVersion --productName --productVersion --buildVersion" },
  hostnamectl: {
    asks: "service",
    flags: "--static --transient --pretty",
    operands: "word?",
    unless: startsWith("status"),
  },
  timedatectl: {
    asks: "service",
    flags: "--no-pager",
    operands: "word?",
    unless: startsWith("status", "show", "list-timezones"),
  },
  systemctl: asking("service", {
    flagsAnywhere: true,
    alone: { flags: `${unitFlags} --version` },
    subcommands: {
      status: units,
      "is-active": units,
      "is-enabled": units,
      "is-failed": units,
      "list-units": units,
      "list-unit-files": units,
      "list-timers": units,
      "list-sockets": units,
      "list-dependencies": units,
    },
  }),
  journalctl: {
    // No -D, --file and --root, which read elsewhere, and nothing that rotates or removes.
    flags:
      "-a -b?word -e -g:text -k -n:word -o:word -p:word -q -r -u:text -t:text -x -S:text -U:text --all --boot?word --catalog --dmesg --grep:text --identifier:text --lines:word --list-boots --no-pager --no-hostname --priority:word --quiet --reverse --since:text --until:text --unit:text --user --system --utc --disk-usage --user-unit:text --version",
    flagsAnywhere: true,
    // What is not kept on the disk lies in /run.
    asks: "service",
  },
  dmesg: {
    asks: "machine",
    // No -C, -c, -D, -E and -n, which change the log.
    flags:
      "-d -e -f:word -H -k -l:word -L?word -P -r -T -t -u -x --color?word --ctime --decode --facility:word --human --kernel --level:word --nopager --notime --reltime --show-delta --time-format:word --userspace --version",
  },
  iostat: { flags: "-c -d -h -k -m -N -p -t -x -y -z", operands: "number? number?", unless: ends },
  mpstat: { flags: "-A -P:word -u", operands: "number? number?", unless: ends },
  // No ifconfig, ipcs and lsns: what they show of the machine cannot be seen in any sandbox.
  ip: asking("machine", ip()),
  getent: {
    // No shadow, which contains secrets, and no hosts, which asks the network.
    operands: "word word*",
    unless: ({ operands }) =>
      ["passwd", "group", "services", "protocols"].includes(operands[0]?.text ?? "")
        ? undefined
        : "it could show secrets or ask the network",
  },
  stty: { flags: "-a", operands: "word?", unless: startsWith("size", "speed") },
  tput: {
    operands: "word number?",
    unless: startsWith("cols", "lines", "colors", "bold", "sgr0", "setaf", "longname"),
  },
  mount: { flags: "-l -V", operands: "", asks: "machine" },
  findmnt: {
    asks: "machine",
    flags:
      "-A -a -b -D -d:word -f -i -J -k -l -n -o:text -R -r -t:word -u --df --json --list --noheadings --types:word",
    operands: "text?",
  },
  sysctl: {
    asks: "machine",
    // With an equals sign it would set what it shows.
    flags: "-a -n -N -b -e --all --names --values",
    operands: "word*",
    unless: ({ operands }) => (operands.some(({ text }) => text.includes("=")) ? "it could set a value" : undefined),
  },
  crontab: { flags: "-l", unless: ({ flags }) => (flags.has("-l") ? undefined : "it would replace all jobs") },
  resolvectl: { asks: "service", flags: "--no-pager", operands: "word?", unless: startsWith("status", "statistics") },
  "nvidia-smi": { asks: "service", flags: "-L --list-gpus --query-gpu:text --query-compute-apps:text --format:text" },
  "xcode-select": {
    flags: "-p -v --print-path --version",
    unless: ({ flags }) => (flags.size > 0 ? undefined : "what it does is not clear"),
  },
  screen: {
    asks: "service",
    flags: "-ls -list -v --version",
    unless: ({ flags }) => (flags.size > 0 ? undefined : "it opens a terminal"),
  },
  tmux: asking("service", {
    alone: {
      flags: "-V",
      asks: "nothing",
      unless: ({ flags }) => (flags.size > 0 ? undefined : "it opens a terminal"),
    },
    // A format may start a program.
    subcommands: { ls: {}, "list-sessions": {}, "list-windows": { flags: "-a" }, "list-panes": { flags: "-a" } },
  }),
})

const filesAndPackages = (): Table => ({
  "pkg-config": {
    flags:
      "--cflags --libs --static --exists --modversion --list-all --print-errors --short-errors --variable:word --print-requires --version --help",
    operands: "text*",
    unless: ({ operands }) =>
      operands.some(({ text }) => /\/|\.pc$/.test(text)) ? "it could read another file" : undefined,
  },
  "systemd-analyze": { operands: "", asks: "service" },
  launchctl: { subcommands: { list: { asks: "service" } } },
  "ssh-add": {
    asks: "service",
    flags: "-l -L",
    unless: ({ flags }) => (flags.size > 0 ? undefined : "it would add a key"),
  },
  pathchk: { flags: "-p -P --portability", operands: "text+" },
  getcap: { flags: "-r -v", operands: "path+" },
  getfattr: { flags: "-d -n:word -m:text --dump --absolute-names --only-values", operands: "path+" },
  lsattr: { flags: "-a -d -l -p -R -v", operands: "path*", here: true },
  getfacl: { flags: "-a -c -d -e -n -p -s -t --absolute-names --numeric --omit-header", operands: "path+" },
  namei: { flags: "-l -m -n -o -v -x --long --modes --owners", operands: "text+" },
  dpkg: {
    flags: "-l -L -s -S -p --list --listfiles --status --search --get-selections --print-architecture --version",
    operands: "text*",
    unless: ({ flags }) => (flags.size > 0 ? undefined : "what it does is not clear"),
  },
  "dpkg-query": {
    flags: "-l -L -s -S -W -f:text --list --listfiles --status --search --show --showformat:text --version",
    operands: "text*",
  },
  "apt-cache": {
    subcommands: {
      policy: { operands: "word*" },
      search: { flags: "-n --names-only", operands: "text+" },
      show: { operands: "word+" },
      depends: { operands: "word+" },
      rdepends: { operands: "word+" },
      madison: { operands: "word+" },
      pkgnames: { operands: "word?" },
    },
  },
  apt: {
    flagsAnywhere: true,
    alone: { flags: "--version -v" },
    subcommands: {
      list: { flags: "--installed --upgradable -a --all-versions", operands: "text*" },
      show: { flags: "-a --all-versions", operands: "word+" },
      search: { flags: "-n --names-only", operands: "text+" },
      policy: { operands: "word*" },
    },
  },
  rpm: {
    // No --eval, --define and --pipe, which run things, and no --root.
    flags:
      "-q -a -i -l -f -c -d -R -qa -qi -ql -qf -qc -qd -qR --query --all --info --list --requires --provides --last --version",
    operands: "text*",
    unless: ({ flags }) =>
      [...flags].some((flag) => flag.startsWith("-q") || flag === "--query" || flag === "--version")
        ? undefined
        : "it could install",
  },
  pacman: {
    flags: "-Q -Qi -Ql -Qe -Qm -Qn -Qs -Qo -Qq -Qqe -Qdt -Si -Ss -V --version",
    operands: "text*",
    unless: ({ flags }) => (flags.size > 0 ? undefined : "what it does is not clear"),
  },
  apk: {
    subcommands: {
      info: { flags: "-a -d -e -L -R -v -vv", operands: "word*" },
      list: { flags: "-I --installed", operands: "text*" },
      version: {},
    },
  },
  brew: {
    flagsAnywhere: true,
    alone: { flags: "--version -v --prefix --cellar --repository", operands: "word?" },
    subcommands: {
      list: { flags: "-1 --formula --formulae --cask --casks --versions --pinned -l -r -t", operands: "word*" },
      ls: { flags: "-1 --formula --cask --versions", operands: "word*" },
      leaves: {},
    },
  },
  snap: asking("service", { subcommands: { list: { flags: "--all", operands: "word*" }, version: {} } }),
  flatpak: { subcommands: { list: { flags: "--app --runtime --user --system" } }, alone: { flags: "--version" } },
})

function startsWith(...words: readonly string[]): (sorted: Sorted) => string | undefined {
  return ({ operands }) => {
    const [first] = operands
    return first === undefined || words.includes(first.text) ? undefined : `${first.text} is not known to only show`
  }
}

/** With an interval and no count they run forever. */
function ends({ operands }: Sorted): string | undefined {
  return operands.length === 1 ? "it does not end" : undefined
}
