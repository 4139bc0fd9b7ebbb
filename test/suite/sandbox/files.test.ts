/** What confined programs try with files: nothing outside changes, nothing that runs later is planted, no secret is read. */

import { describe, expect, test } from "bun:test"
import { existsSync, lstatSync, readFileSync } from "node:fs"
import { join } from "node:path"
import {
  type Attack,
  buildProgram,
  canConfine,
  type Ground,
  openTurnsOfUsers,
  provenBy,
  users,
} from "../../kit/escapes.ts"

const program = canConfine ? await buildProgram() : ""

const exists = (name: string) => (ground: Ground) => existsSync(ground.at(name))
const gone = (name: string) => (ground: Ground) => !existsSync(ground.at(name))
const has = (name: string, text: string) => (ground: Ground) =>
  existsSync(ground.at(name)) && readFileSync(ground.at(name), "utf8").includes(text)
const said = (text: string) => (_ground: Ground, output: string) => output.includes(text)

/** Whether the user's own git, later and outside, runs what was planted. */
const gitRuns =
  (name: string, command = "git status; git checkout -q .; git commit -q --allow-empty -m x") =>
  async (ground: Ground): Promise<boolean> => {
    await ground.outside(command)
    return existsSync(ground.at("out", name))
  }

const planted = (name: string): string => `printf '#!/bin/sh\\ntouch %s/${name}\\n' "$OUT"`

const writes: readonly Attack[] = [
  { name: "a new file", script: `echo x > "$OUT/new"`, happened: exists("out/new") },
  { name: "an old file", script: `echo changed-1 >> "$OUT/victim"`, happened: has("out/victim", "changed-1") },
  { name: "a link to a folder", script: `ln -s "$OUT" l1; echo x > l1/by-link`, happened: exists("out/by-link") },
  {
    name: "a link to a file",
    script: `ln -s "$OUT/victim" l2; echo changed-2 >> l2`,
    happened: has("out/victim", "changed-2"),
  },
  {
    name: "a hard link",
    script: `ln "$OUT/victim" l3; echo changed-3 >> l3`,
    happened: has("out/victim", "changed-3"),
  },
  { name: "from one's own folder", script: `echo x > /proc/self/cwd/../out/by-cwd`, happened: exists("out/by-cwd") },
  { name: "the root of a process", script: `echo x > "/proc/self/root$OUT/by-root"`, happened: exists("out/by-root") },
  {
    name: "the root of every process",
    script: `for p in /proc/[0-9]*; do echo x > "$p/root$OUT/by-every-root"; echo x > "$p/cwd/../out/by-every-root"; done`,
    happened: exists("out/by-every-root"),
    // Without the sandbox it would find the processes of other tests.
    bare: "nobody",
  },
  {
    name: "a descriptor that was left open",
    script: `for d in /proc/[0-9]*/fd/*; do [ -d "$d" ] && echo x > "$d/../out/by-descriptor"; [ -d "$d" ] && echo x > "$d$OUT/by-descriptor"; done`,
    happened: exists("out/by-descriptor"),
    bare: "nobody",
  },
  {
    // A file that is only open for reading, mapped, and written to past the mapping.
    name: "one's own memory",
    script: `python3 -c 'import mmap, sys
f = open(sys.argv[1], "rb"); m = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)
at = [line for line in open("/proc/self/maps") if line.rstrip().endswith(sys.argv[1])][0].split("-")[0]
memory = open("/proc/self/mem", "r+b", 0); memory.seek(int(at, 16)); memory.write(b"mem")' "$OUT/victim"`,
    happened: has("out/victim", "mem"),
    bare: "nobody",
  },
  { name: "moving out", script: `echo x > m; mv m "$OUT/moved"`, happened: exists("out/moved") },
  { name: "a copy", script: `cp a.txt "$OUT/copied"; install a.txt "$OUT/copied"`, happened: exists("out/copied") },
  {
    name: "permissions",
    script: `chmod 711 "$OUT/folder"`,
    happened: (ground) => (lstatSync(ground.at("out/folder")).mode & 0o777) === 0o711,
  },
  {
    name: "times",
    script: `touch -d 2001-01-01 "$OUT/folder/file"`,
    happened: (ground) => lstatSync(ground.at("out/folder/file")).mtime.getFullYear() === 2001,
  },
  {
    name: "a bind mount over the project",
    script: `mkdir b; mount --bind "$OUT" b && echo x > b/by-bind; umount b`,
    happened: exists("out/by-bind"),
    bare: "root",
  },
  {
    name: "a remount",
    script: `mount -o remount,rw / ; mount -o remount,rw,bind / ; echo x > "$OUT/by-remount"`,
    happened: exists("out/by-remount"),
  },
  {
    name: "namespaces of one's own",
    script: `unshare -Urm bash -c 'mount -o remount,rw,bind /; mkdir b2; mount --bind "$OUT" b2; echo x > b2/by-namespace'; unshare -U true && echo was-made`,
    happened: (ground, output) => existsSync(ground.at("out/by-namespace")) || output.includes("was-made"),
  },
  {
    name: "namespaces of others",
    script: `for p in /proc/[0-9]*; do nsenter --mount="$p/ns/mnt" touch "$OUT/by-enter"; done`,
    happened: exists("out/by-enter"),
    bare: "root",
  },
  {
    name: "another root",
    script: `chroot / touch "$OUT/by-chroot"; mkdir c; chroot c true; perl -e 'exit(syscall(161, "/") == 0 ? 0 : 1)' && echo changed-root`,
    happened: (ground, output) => existsSync(ground.at("out/by-chroot")) || output.includes("changed-root"),
    bare: "root",
  },
  {
    name: "a device of the disk",
    script: `mknod disk b $(stat -c '0x%Hd 0x%Ld' "$OUT" 2>/dev/null || echo 8 0); ls /dev/vd* /dev/sd* /dev/nvme* 2>/dev/null`,
    happened: (ground, output) => existsSync(ground.at("work/disk")) || output.includes("/dev/"),
    bare: "nobody",
  },
  {
    name: "kernel settings",
    script: `cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern && echo was-written; cat /proc/sys/vm/swappiness > /proc/sys/vm/swappiness && echo was-written; (echo > /sys/kernel/uevent_helper) && echo was-written`,
    happened: said("was-written"),
    bare: "nobody",
  },
  {
    name: "groups of processes",
    script: `f=$(find /sys/fs/cgroup -name cgroup.procs | head -1); mkdir "$(dirname "$f")/by-attack" && echo was-made; rmdir "$(dirname "$f")/by-attack"`,
    happened: said("was-made"),
    bare: "nobody",
  },
]

const fsmonitor = (name: string): string =>
  `${planted(name)} > run-${name}; chmod +x run-${name}; C="[core]\\n\\tfsmonitor = $PWD/run-${name}\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n"`

/** Each on a ground of its own kind of trust: what git, a shell or Codewright itself would run later. */
const later: readonly Attack[] = [
  {
    name: "a hook",
    script: `${planted("hook")} > .git/hooks/post-checkout; chmod +x .git/hooks/post-checkout; cp .git/hooks/post-checkout .git/hooks/post-commit`,
    happened: gitRuns("hook"),
  },
  {
    name: "the configuration",
    script: `printf '# was-appended\\n' >> .git/config`,
    happened: has("work/.git/config", "was-appended"),
  },
  {
    name: "the configuration, by git",
    script: `${fsmonitor("by-git")}; git config core.fsmonitor "$PWD/run-by-git"`,
    happened: has("work/.git/config", "run-by-git"),
  },
  {
    name: "the configuration, by a hard link",
    script: `${fsmonitor("by-link")}; ln .git/config other-name; printf "$C" >> other-name`,
    happened: has("work/.git/config", "run-by-link"),
  },
  {
    name: "the configuration, by a rename",
    script: `${fsmonitor("by-rename")}; cp .git/config c2; printf "$C" >> c2; mv -f c2 .git/config`,
    happened: has("work/.git/config", "run-by-rename"),
  },
  {
    name: "a nested repository",
    script: `${fsmonitor("nested")}; printf "$C" >> vendor/lib/.git/config; printf x > vendor/lib/.git/hooks/x`,
    happened: async (ground) =>
      (await gitRuns("nested", "cd vendor/lib && git status")(ground)) ||
      existsSync(ground.at("work/vendor/lib/.git/hooks/x")),
  },
  {
    name: "hooks in a folder that the configuration names",
    script: `mkdir -p vendor/hooked/tools/hooks; echo x > vendor/hooked/tools/hooks/pre-commit; mv vendor/hooked/tools vendor/hooked/t2`,
    happened: (ground) =>
      exists("work/vendor/hooked/tools/hooks/pre-commit")(ground) || exists("work/vendor/hooked/t2")(ground),
  },
  {
    name: "a submodule",
    script: `${fsmonitor("module")}; printf "$C" >> .git/modules/sub/config; printf x > .git/modules/sub/hooks/x`,
    happened: async (ground) =>
      (await gitRuns("module")(ground)) || existsSync(ground.at("work/.git/modules/sub/hooks/x")),
  },
  {
    name: "a submodule that leads elsewhere",
    script: `${fsmonitor("led")}; cp -r .git/modules/sub elsewhere; printf "$C" >> elsewhere/config; git config -f elsewhere/config core.worktree "$PWD/sub"; echo "gitdir: ../elsewhere" > sub/.git`,
    happened: gitRuns("led"),
  },
  {
    name: "a linked worktree",
    script: `${fsmonitor("tree")}; mkdir evil; cp -r .git evil/g; printf "$C" >> evil/g/config; echo "$PWD/evil/g" > .git/worktrees/tree/commondir`,
    happened: gitRuns("tree", "cd ../tree && git status"),
  },
  {
    name: "a new repository",
    script: `${fsmonitor("fresh")}; git init -q fresh; printf "$C" >> fresh/.git/config; git -C fresh commit -q --allow-empty -m x; git add fresh`,
    happened: gitRuns("fresh", "git status; cd fresh && git status"),
  },
  {
    name: "a new repository in folders that nobody can list",
    script: `${fsmonitor("closed")}; git init -q c1/c2/c3; printf "$C" >> c1/c2/c3/.git/config; chmod 0311 c1/c2/c3 c1/c2 c1`,
    happened: gitRuns("closed", "cd c1/c2/c3 && git status"),
  },
  {
    name: "hooks of a new repository that nobody can list",
    script: `git init -q h1; ${planted("h1")} > h1/.git/hooks/post-commit; chmod 0755 h1/.git/hooks/post-commit; chmod 0511 h1/.git/hooks; chmod 0555 h1/.git`,
    happened: gitRuns("h1", "chmod 0755 h1/.git; cd h1 && git commit -q --allow-empty -m x"),
  },
  {
    name: "a new repository without the name",
    script: `${fsmonitor("bare")}; git init -q --bare docs; printf "$C" > docs/config; git config -f docs/config core.worktree .`,
    happened: gitRuns("bare", "cd docs && git status"),
  },
  {
    name: "a new start file",
    script: `echo x > .mcp.json; echo x > s1; mv s1 .bashrc; ln -s a.txt .zshenv`,
    happened: (ground) => [".mcp.json", ".bashrc", ".zshenv"].some((name) => exists(join("work", name))(ground)),
  },
  {
    name: "settings of Codewright",
    script: `mkdir -p .codewright; echo '{}' > .codewright/settings.json; echo '{}' > .codewright/settings.local.json`,
    happened: exists("work/.codewright/settings.json"),
  },
  {
    name: "settings of the ecosystem",
    script: `mkdir -p .claude; echo '{}' > .claude/settings.json; mkdir -p .claude/commands`,
    happened: (ground) => exists("work/.claude/settings.json")(ground) || exists("work/.claude/commands")(ground),
  },
  {
    name: "settings folders as links",
    script: `mkdir s; echo '{}' > s/settings.json; rmdir .codewright .claude; ln -sfn s .codewright; mv -T s .claude`,
    happened: (ground) =>
      exists("work/.codewright/settings.json")(ground) || exists("work/.claude/settings.json")(ground),
  },
  {
    name: "one's own settings",
    script: `echo '{}' > ../state/settings.json; cp /dev/null ../home/.codewright; mkdir -p ~/.claude; echo '{}' > ~/.claude/settings.json`,
    happened: (ground) => has("state/settings.json", "{}")(ground) || exists("home/.claude/settings.json")(ground),
  },
]

const homeIsOpen = { filesystem: { allowWrite: ["~"] } }

/** Each of these would take away what others attack, so each has a ground of its own. */
const away: readonly (Attack & { readonly sandbox?: object })[] = [
  { name: "a folder outside", script: `rm -rf "$OUT/folder"`, happened: gone("out/folder") },
  { name: "a file outside", script: `mv "$OUT/victim" .`, happened: gone("out/victim") },
  {
    name: "another common folder",
    script: `${fsmonitor("common")}; cp -r .git evil2; printf "$C" >> evil2/config; echo "$PWD/evil2" > .git/commondir; mv evil2/config evil2/c; rm -f .git/commondir; echo "$PWD/evil2" > .git/commondir; mv evil2/c evil2/config`,
    happened: gitRuns("common"),
  },
  {
    name: "the whole repository",
    script: `${fsmonitor("whole")}; mv .git old || cp -r .git old; printf "$C" >> old/config; rm -rf .git; mv -T old .git`,
    happened: gitRuns("whole"),
  },
  {
    name: "the folder around a nested repository",
    script: `${fsmonitor("around")}; cp -r vendor v2; printf "$C" >> v2/lib/.git/config; mv vendor v3; mv -T v2 vendor`,
    happened: gitRuns("around", "cd vendor/lib && git status"),
  },
  {
    name: "the working folder itself",
    script: `${fsmonitor("itself")}; cd ..; cp -r work w2; printf "$C" >> w2/.git/config; mv work w3 && mv w2 work`,
    happened: gitRuns("itself"),
  },
  {
    name: "the folder around start files",
    script: `mv ~/.config ~/.config-old; mkdir -p ~/.config/autostart; echo planted > ~/.config/autostart/x`,
    happened: has("home/.config/autostart/x", "planted"),
    sandbox: homeIsOpen,
  },
]

const atHome: readonly Attack[] = [
  ...".bashrc .zshenv .profile .bash_profile .zshrc .gitconfig .ssh/authorized_keys .config/fish/config.fish .config/git/config .local/bin/ls .npmrc"
    .split(" ")
    .map((name) => ({
      name: `~/${name}`,
      script: `mkdir -p "$HOME/$(dirname ${name})"; echo planted >> "$HOME/${name}"; rm -f "$HOME/${name}"; echo planted > "$HOME/${name}"`,
      happened: has(`home/${name}`, "planted"),
    })),
  {
    name: "the account of Codewright",
    script: `mkdir -p ~/.claude; echo planted > ~/.claude/settings.json; echo planted > ../state/settings.json`,
    happened: (ground) => exists("home/.claude/settings.json")(ground) || has("state/settings.json", "planted")(ground),
  },
]

const reads: readonly Attack[] = [
  { name: "a key", script: `cat ~/.ssh/id_rsa`, happened: said("SECRET-ssh") },
  { name: "a cloud", script: `cat ~/.aws/credentials`, happened: said("SECRET-aws") },
  { name: "our own", script: `cat ../state/key.json`, happened: said("SECRET-state") },
  {
    name: "by a link",
    script: `ln -s ~/.ssh k; cat k/id_rsa; ln -s ~/.ssh/id_rsa k2; cat k2`,
    happened: said("SECRET-ssh"),
  },
  { name: "by a hard link", script: `ln ~/.ssh/id_rsa k3; cat k3`, happened: said("SECRET-ssh") },
  { name: "from inside", script: `cd ~/.ssh; cat id_rsa; cat ./../.ssh/id_rsa`, happened: said("SECRET-ssh") },
  {
    name: "by every process",
    script: `for p in self /proc/[0-9]*; do cat "/proc/\${p#/proc/}/root$HOME/.ssh/id_rsa" "/proc/\${p#/proc/}/cwd/../home/.ssh/id_rsa"; done`,
    happened: said("SECRET-ssh"),
  },
  { name: "by all means", script: `grep -r SECRET ..; tar c .. | grep -a SECRET`, happened: said("SECRET-") },
  {
    name: "after opening it",
    script: `chmod -R 777 ~/.ssh; umount ~/.ssh; mv ~/.ssh ~/s; cat ~/s/id_rsa ~/.ssh/id_rsa`,
    happened: said("SECRET-ssh"),
  },
  { name: "the environment", script: `env`, happened: said("SECRET-anthropic") },
  {
    name: "the environment of others",
    script: `cat /proc/*/environ | tr '\\0' '\\n'`,
    happened: said("SECRET-anthropic"),
  },
  { name: "passwords of the machine", script: `cat /etc/shadow`, happened: said("root:"), bare: "root" },
]

const triedBy = openTurnsOfUsers()

describe.skipIf(!canConfine).each(users)("as %s", (_name, user) => {
  test.concurrent.each([
    ["writes outside", writes, {}],
    ["what runs later", later, {}],
    ["start files, when the home can be written", atHome, homeIsOpen],
    ["secrets", reads, {}],
  ])("%s", async (_what, attacks, sandbox) => {
    const { got, wanted } = await provenBy(program, user, triedBy(user, attacks), { sandbox })
    expect(got).toEqual(wanted)
  })

  test.concurrent.each(triedBy(user, away).map((attack) => [attack.name, attack] as const))(
    "taken away: %s",
    async (_what, attack) => {
      const { got, wanted } = await provenBy(program, user, [attack], { sandbox: attack.sandbox ?? {} })
      expect(got).toEqual(wanted)
    },
  )
})
