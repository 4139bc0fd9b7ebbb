/** What policies hold, line by line, for real folders. */

import { expect, test } from "bun:test"
import { symlinkSync } from "node:fs"
import { makeFiles, openStory, pathsOf, policiesIn, type PolicyStory } from "../../../kit/policy-story.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const repository = {
  "work/.git/HEAD": "ref: refs/heads/main\n",
  "work/.git/config": "[core]\n",
  "work/.git/hooks/": "",
  "work/.git/objects/": "",
}

test("the policy of a plain workspace, whole", async () => {
  using folder = temporaryFolder()
  const { workspace, notes } = await policiesIn(folder, { files: repository })
  const { withoutVariables, credentials, ...plain } = workspace
  expect(credentials?.map(({ from }) => from)).toContainEqual({ kind: "variable", name: "GITHUB_TOKEN" })
  expect(withoutVariables?.names).toContain("GITHUB_TOKEN")
  expect(withoutVariables?.except).toEqual([])
  expect({ ...plain, hidden: workspace.hidden.length > 50 }).toEqual({
    name: "workspace",
    writes: [{ path: "@/work", because: "the working folder" }],
    held: [
      {
        path: "@/work/.codewright",
        because: "settings, hooks and commands of the agent",
        placeholder: { kind: "folder" },
      },
      { path: "@/work/.claude", because: "settings, hooks and commands of the agent", placeholder: { kind: "folder" } },
      { path: "@/work/.git/hooks", because: "Git runs the hooks in it", placeholder: { kind: "folder" } },
      {
        path: "@/work/.git/config",
        because: "Git runs programs that it names",
        placeholder: { kind: "file", text: "" },
      },
      {
        path: "@/work/.git/commondir",
        because: "it points to the repository",
        placeholder: { kind: "file", text: "." },
      },
    ],
    hidden: true,
    shown: [{ path: "@/home/.codewright/projects/-work", because: "sessions and notes of this project" }],
    replaced: [],
    temp: { folder: "@/temp", asTmp: true },
    network: { mode: "domains", allowed: [], denied: [], others: "ask", unixSockets: [] },
    limits: { processes: 2048, memoryBytes: 6_000_000_000 },
  })
  expect(notes).toEqual([])
})

test("credentials that a setting names are let through, and programs set up by the user keep all of theirs", async () => {
  using folder = temporaryFolder()
  const { workspace, programs } = await policiesIn(folder, { settings: { allowEnv: ["NPM_TOKEN"] } })
  expect(workspace.withoutVariables?.except).toEqual(["NPM_TOKEN"])
  expect(programs.withoutVariables?.names).toEqual([])
})

test("what a walk did not come to is said", async () => {
  using folder = temporaryFolder()
  const many = Object.fromEntries(Array.from({ length: 61 }, (_, i) => [`work/repo-${i}/.git/`, ""]))
  expect((await policiesIn(folder, { files: many })).notes).toEqual([
    "There are more than 60 git repositories in the workspace. Hooks and configuration of the others can be changed.",
  ])
  const deep = Object.fromEntries(Array.from({ length: 4001 }, (_, i) => [`work/folder-${i}/`, ""]))
  using wide = temporaryFolder()
  expect((await policiesIn(wide, { files: deep })).notes).toEqual([
    "@/work has more than 4,000 folders. Git repositories in the others were not looked for, and their hooks and configuration can be changed.",
  ])
})

test("what Git reads for a worktree alone is held where its configuration says so", async () => {
  using folder = temporaryFolder()
  const files = { ...repository, "work/.git/config": "[extensions]\n\tworktreeConfig = true\n" }
  const { workspace } = await policiesIn(folder, { files })
  expect(pathsOf(workspace.held)).toContain("@/work/.git/config.worktree")
})

test("the reader writes nothing and reaches nothing, and in plan mode it is the only policy", async () => {
  using folder = temporaryFolder()
  const { reader, workspace } = await policiesIn(folder, { mode: "plan" })
  expect({ ...reader, hidden: [], shown: [] }).toEqual({
    name: "reader",
    writes: [],
    held: [],
    hidden: [],
    shown: [],
    temp: { folder: "@/temp", asTmp: false },
    network: { mode: "off", because: "a command that only reads needs no network" },
    limits: { processes: 2048, memoryBytes: 6_000_000_000 },
  })
  expect(workspace).toEqual(reader)
})

test.each([
  "@/home/.ssh",
  "@/home/.gnupg",
  "@/home/.aws",
  "@/home/.config/gcloud",
  "@/home/.azure",
  "@/home/.kube",
  "@/home/.docker/config.json",
  "@/home/.oci",
  "@/home/.netrc",
  "@/home/.git-credentials",
  "@/home/.config/gh",
  "@/home/.pypirc",
  "@/home/.cargo/credentials.toml",
  "@/home/.mozilla",
  "@/home/.config/google-chrome",
  "@/home/Library/Keychains",
  "@/home/.password-store",
  "@/home/.local/share/keyrings",
  "@/home/.bash_history",
  "@/home/.zsh_history",
  "@/home/.claude/.credentials.json",
  "@/home/.codex/auth.json",
  "@/home/.gemini/oauth_creds.json",
  "@/home/.codewright/key.json",
  "@/home/.codewright/mcp-logins",
  "@/home/.codewright/projects",
  "@/home/.codewright/file-history",
  "/etc/shadow",
  "/run/docker.sock",
  "/run/user/1000",
  "/root",
])("%s is hidden from both policies", async (path) => {
  using folder = temporaryFolder()
  const { reader, workspace } = await policiesIn(folder, {})
  expect(pathsOf(reader.hidden)).toContain(path)
  expect(pathsOf(workspace.hidden)).toContain(path)
})

test("what holds no secret is not hidden: the cache with our programs, an .npmrc without a token, root's own home", async () => {
  using folder = temporaryFolder()
  const { reader } = await policiesIn(folder, { uid: 0, files: { "home/.npmrc": "save-exact=true\n" } })
  const secrets = reader.hidden.filter(({ because }) => because !== "commands that run unasked do not need it")
  expect(pathsOf(secrets).filter((path) => /cache$|npmrc|^\/root/.test(path))).toEqual([])
})

test("an .npmrc with a token is hidden", async () => {
  using folder = temporaryFolder()
  const { reader } = await policiesIn(folder, { files: { "home/.npmrc": "//registry.npmjs.org/:_authToken=npm_x\n" } })
  expect(reader.hidden).toContainEqual({ path: "@/home/.npmrc", because: "a token of a package registry" })
})

interface Row extends PolicyStory {
  readonly says: string
  readonly writes?: readonly string[]
  readonly held?: readonly string[]
  readonly notHeld?: readonly string[]
  readonly hidden?: readonly string[]
  readonly notHidden?: readonly string[]
  readonly shown?: readonly string[]
  readonly notShown?: readonly string[]
  readonly notes?: readonly string[]
}

const rows: readonly Row[] = [
  {
    says: "added folders can be written, and are held like the workspace",
    added: ["more"],
    files: { "more/.git/HEAD": "x", "more/.git/config": "" },
    writes: ["@/work", "@/more"],
    held: ["@/more/.codewright", "@/more/.git/config", "@/more/.git/hooks"],
  },
  {
    says: "editors, hook managers and CI are held where they exist",
    files: {
      "work/.vscode/tasks.json": "",
      "work/.husky/pre-commit": "",
      "work/.github/workflows/ci.yml": "",
      "work/.MCP.json": "",
      "work/.envrc": "",
    },
    held: ["@/work/.vscode", "@/work/.husky", "@/work/.github/workflows", "@/work/.MCP.json", "@/work/.envrc"],
    notHeld: ["@/work/.idea", "@/work/.github", "@/work/.git/hooks"],
  },
  {
    says: "what package managers write in everyday work is not held, what they run is",
    files: { "work/.yarn/releases/yarn.cjs": "", "work/.gradle/a": "", "work/.hg/hgrc": "", "work/.pnp.cjs": "" },
    held: ["@/work/.yarn/releases", "@/work/.hg/hgrc"],
    notHeld: ["@/work/.yarn", "@/work/.gradle", "@/work/.hg", "@/work/.pnp.cjs"],
  },
  {
    says: "nested repositories and submodules",
    files: {
      ...repository,
      "work/vendor/a/.git/HEAD": "x",
      "work/vendor/a/.git/config": "",
      "work/sub/.git": "gitdir: ../.git/modules/deep/sub\n",
      "work/.git/modules/deep/sub/HEAD": "x",
      "work/.git/modules/deep/sub/config": "",
      "work/.git/modules/deep/sub/modules/inner/HEAD": "x",
    },
    held: [
      "@/work/vendor/a/.git/hooks",
      "@/work/vendor/a/.git/config",
      "@/work/vendor/a/.git/commondir",
      "@/work/sub/.git",
      "@/work/.git/modules/deep/sub/hooks",
      "@/work/.git/modules/deep/sub/config",
      "@/work/.git/modules/deep/sub/modules/inner/config",
    ],
  },
  {
    says: "a linked worktree writes to the repository that knows it, whose hooks and configuration are held",
    root: "tree",
    files: {
      ...repository,
      "tree/.git": "gitdir: ../work/.git/worktrees/tree\n",
      "work/.git/worktrees/tree/HEAD": "x",
      "work/.git/worktrees/tree/commondir": "../..\n",
      "work/.git/worktrees/tree/gitdir": "../../../../tree/.git\n",
    },
    writes: ["@/tree", "@/work/.git"],
    held: ["@/tree/.git", "@/work/.git/hooks", "@/work/.git/config", "@/work/.git/worktrees/tree/commondir"],
  },
  {
    says: "a file that names a repository which does not know the folder opens nothing",
    root: "tree",
    files: {
      ...repository,
      "tree/.git": "gitdir: ../work/.git/worktrees/other\n",
      "work/.git/worktrees/other/HEAD": "x",
      "work/.git/worktrees/other/commondir": "../..\n",
      "work/.git/worktrees/other/gitdir": "../../../../other/.git\n",
    },
    writes: ["@/tree"],
    held: ["@/tree/.git"],
  },
  {
    says: "a plain .git file that names somebody's repository opens nothing",
    root: "tree",
    files: { ...repository, "tree/.git": "gitdir: ../work/.git\n" },
    writes: ["@/tree"],
  },
  {
    says: "from a subfolder the repository can be committed to",
    root: "work/packages/a",
    files: repository,
    writes: ["@/work/packages/a", "@/work/.git"],
    held: ["@/work/.git/hooks", "@/work/.git/config"],
  },
  {
    says: "when home can be written, shell start files and our own state are held, there or not",
    root: "home",
    writes: ["@/home"],
    held: [
      "@/home/.bashrc",
      "@/home/.zshenv",
      "@/home/.profile",
      "@/home/.gitconfig",
      "@/home/.ssh",
      "@/home/.codewright",
      "@/home/.claude",
      // Nothing below it exists, so that it is held as a whole.
      "@/home/.config",
    ],
  },
  {
    says: "when .config exists, only what starts programs is held in it",
    root: "home",
    files: { "home/.config/a/b": "" },
    held: ["@/home/.config/fish", "@/home/.config/git", "@/home/.config/systemd"],
    notHeld: ["@/home/.config"],
  },
  {
    says: "allowWrite widens, from home and from the project",
    settings: { filesystem: { allowWrite: ["~/out", "../beside/**"] } },
    writes: ["@/work", "@/home/out", "@/beside"],
  },
  {
    says: "denyWrite beats allowWrite, also from above",
    settings: { filesystem: { allowWrite: ["~/out/a", "~/fine"], denyWrite: ["~/out", "dist"] } },
    writes: ["@/work", "@/home/fine"],
    held: ["@/work/dist"],
  },
  {
    says: "allowWrite opens what is held by habit, and never what Git runs or our settings",
    files: { ...repository, "work/.husky/a": "" },
    settings: { filesystem: { allowWrite: [".husky", ".git/hooks/a", ".git/config", ".codewright", ".claude"] } },
    writes: ["@/work", "@/work/.husky"],
    notes: [
      "@/work/.git/hooks/a stays read-only, although sandbox.filesystem.allowWrite in ~/.codewright/settings.json names it",
      "@/work/.git/config stays read-only, although sandbox.filesystem.allowWrite in ~/.codewright/settings.json names it",
      "@/work/.codewright stays read-only, although sandbox.filesystem.allowWrite in ~/.codewright/settings.json names it",
      "@/work/.claude stays read-only, although sandbox.filesystem.allowWrite in ~/.codewright/settings.json names it",
    ],
    notHeld: ["@/work/.husky"],
    held: ["@/work/.git/hooks", "@/work/.git/config", "@/work/.codewright", "@/work/.claude"],
  },
  {
    says: "allowRead opens what is hidden by default: all of it, or a part",
    settings: { filesystem: { allowRead: ["~/.ssh/known_hosts", "~/.aws"] } },
    hidden: ["@/home/.ssh"],
    notHidden: ["@/home/.aws"],
    shown: ["@/home/.ssh/known_hosts"],
  },
  {
    says: "a wide allowRead opens no secret, and the closer name counts",
    settings: {
      filesystem: { allowRead: ["~", "~/a", "~/same", "~/b/open"], denyRead: ["~/a/secret", "~/same", "~/b"] },
    },
    hidden: ["@/home/.ssh", "@/home/a/secret", "@/home/same", "@/home/b"],
    shown: ["@/home/b/open"],
    notShown: ["@/home/same"],
  },
  {
    says: "Read denies hide, Edit denies hold, and allow rules widen nothing",
    files: { "work/secrets/a": "", "work/gen/a": "" },
    rules: [
      ["deny", "Read(./secrets/**)"],
      ["deny", "Edit(/gen/**)"],
      ["deny", "Edit(./not-yet)"],
      ["allow", "Edit(~/elsewhere/**)"],
      ["allow", "Write(//opt/**)"],
    ],
    writes: ["@/work"],
    hidden: ["@/work/secrets"],
    held: ["@/work/gen", "@/work/not-yet"],
  },
  {
    says: "a setting opens nothing that a rule denies",
    rules: [["deny", "Read(~/vault/**)"]],
    settings: { filesystem: { allowRead: ["~/vault/open", "~/vault"] } },
    hidden: ["@/home/vault"],
    notShown: ["@/home/vault/open", "@/home/vault"],
  },
  {
    says: "rules with wildcards mean the files that are there",
    files: { "work/.env": "", "work/a/b/.env": "", "work/node_modules/x/.env": "", "work/keys/one.pem": "" },
    rules: [
      ["deny", "Read(.env)"],
      ["deny", "Read(./keys/*.pem)"],
      ["deny", "Edit(**/b/*)"],
    ],
    hidden: ["@/work/.env", "@/work/a/b/.env", "@/work/node_modules/x/.env", "@/work/keys/one.pem"],
    held: ["@/work/a/b"],
    notes: [],
  },
  {
    says: "a Read deny of everything is named as what no path can enforce",
    rules: [
      ["deny", "Read"],
      ["deny", "Read(./**)"],
    ],
    notes: [
      "not enforceable as a path: Read (it means all of the working folder)",
      "not enforceable as a path: Read(./**) (it means all of the working folder)",
    ],
  },
  {
    says: "an Edit deny of everything leaves nothing to write",
    rules: [["deny", "Edit"]],
    writes: [],
    held: [],
    notes: [],
  },
  {
    says: "a wildcard in a setting is named",
    settings: { filesystem: { denyRead: ["~/*.key"] } },
    notes: [
      'not enforceable as a path: "~/*.key" of sandbox.filesystem.denyRead in ~/.codewright/settings.json (name a file or a folder, or use a deny rule)',
    ],
  },
]

test.each(rows.map((row) => [row.says, row] as const))("%s", async (_, row) => {
  using folder = temporaryFolder()
  const { workspace, notes } = await policiesIn(folder, row)
  if (row.writes) expect(pathsOf(workspace.writes)).toEqual([...row.writes])
  expect(pathsOf(workspace.held)).toEqual(expect.arrayContaining([...(row.held ?? [])]))
  if (row.held?.length === 0) expect(workspace.held).toEqual([])
  expect(pathsOf(workspace.hidden)).toEqual(expect.arrayContaining([...(row.hidden ?? [])]))
  expect(pathsOf(workspace.shown)).toEqual(expect.arrayContaining([...(row.shown ?? [])]))
  for (const path of row.notHeld ?? []) expect(pathsOf(workspace.held)).not.toContain(path)
  for (const path of row.notHidden ?? []) expect(pathsOf(workspace.hidden)).not.toContain(path)
  for (const path of row.notShown ?? []) expect(pathsOf(workspace.shown)).not.toContain(path)
  if (row.notes) expect(notes).toEqual([...row.notes])
})

test("links are followed, and a link to a repository of the person's opens nothing", async () => {
  using folder = temporaryFolder()
  const story: PolicyStory = { files: { "other/.git/HEAD": "x", "home/real-ssh/": "", "work/": "" } }
  await policiesIn(folder, story)
  symlinkSync(folder.join("other/.git"), folder.join("work/.git"))
  symlinkSync(folder.join("home/real-ssh"), folder.join("home/.ssh"))
  const { workspace } = await policiesIn(folder, story)
  expect(pathsOf(workspace.writes)).toEqual(["@/work"])
  expect(pathsOf(workspace.hidden)).toContain("@/home/real-ssh")
})

test("a writable folder that is itself a bare repository keeps its hooks and configuration", async () => {
  using folder = temporaryFolder()
  const bare = { "shared/HEAD": "ref: refs/heads/main\n", "shared/config": "[core]\n", "shared/objects/": "" }
  const { workspace } = await policiesIn(folder, { files: { ...bare, "shared/hooks/": "" }, added: ["shared"] })
  expect(pathsOf(workspace.writes)).toContain("@/shared")
  expect(pathsOf(workspace.held)).toEqual(expect.arrayContaining(["@/shared/hooks", "@/shared/config"]))
})

test("the start files of a home behind a link are held where it leads", async () => {
  using folder = temporaryFolder()
  makeFiles(folder, { "disk/me/.bashrc": "", "disk/me/.git/HEAD": "ref: refs/heads/main\n" })
  symlinkSync(folder.join("disk/me"), folder.join("home"))
  const { workspace } = await policiesIn(folder, { root: "disk/me" })
  expect(pathsOf(workspace.writes)).toContain("@/disk/me")
  expect(pathsOf(workspace.held)).toEqual(
    expect.arrayContaining(["@/disk/me/.bashrc", "@/disk/me/.profile", "@/disk/me/.ssh"]),
  )
})

test("a working folder that would be held itself stays writable", async () => {
  using folder = temporaryFolder()
  const { workspace } = await policiesIn(folder, { root: "home/.claude" })
  expect(pathsOf(workspace.writes)).toContain("@/home/.claude")
  expect(pathsOf(workspace.held)).not.toContain("@/home/.claude")
})

test("a setting opens the protected file that it names, and none below a folder that it names", async () => {
  using folder = temporaryFolder()
  const files = { "work/.envrc": "", "work/.husky/": "" }
  const { workspace } = await policiesIn(folder, { files, settings: { filesystem: { allowWrite: [".", ".envrc"] } } })
  expect(pathsOf(workspace.held)).toContain("@/work/.husky")
  expect(pathsOf(workspace.held)).not.toContain("@/work/.envrc")
})

test("what a setting both denies and allows to read is hidden", async () => {
  using folder = temporaryFolder()
  const filesystem = { denyRead: ["secret", "secret/a"], allowRead: ["secret/a", "secret/b"] }
  const { workspace } = await policiesIn(folder, {
    files: { "work/secret/a": "", "work/secret/b": "" },
    settings: { filesystem },
  })
  expect(pathsOf(workspace.hidden)).toContain("@/work/secret/a")
  expect(pathsOf(workspace.shown)).toContain("@/work/secret/b")
  expect(pathsOf(workspace.shown)).not.toContain("@/work/secret/a")
})

test("a rule against reading the working folder itself is said to be unenforceable, and hides nothing", async () => {
  using folder = temporaryFolder()
  const { workspace, notes } = await policiesIn(folder, { rules: [["deny", `Read(/${folder.join("work")})`]] })
  expect(pathsOf(workspace.hidden)).not.toContain("@/work")
  expect(notes).toHaveLength(1)
})

test("every line from a setting names its file, and every line from a rule the rule", async () => {
  using folder = temporaryFolder()
  const { workspace } = await policiesIn(folder, {
    settings: {
      filesystem: { allowWrite: ["~/out"], denyRead: ["~/x"] },
      network: { allowedDomains: ["registry.npmjs.org"], allowUnixSockets: ["/run/docker.sock"] },
    },
    rules: [
      ["deny", "Read(~/y)", "project settings"],
      ["deny", "WebFetch(domain:evil.example)"],
    ],
  })
  const file = "~/.codewright/settings.json"
  expect(workspace.writes).toContainEqual({ path: "@/home/out", because: `sandbox.filesystem.allowWrite in ${file}` })
  expect(workspace.hidden).toContainEqual({ path: "@/home/x", because: `sandbox.filesystem.denyRead in ${file}` })
  expect(workspace.hidden).toContainEqual({ path: "@/home/y", because: "the deny rule Read(~/y) (project settings)" })
  expect(workspace.network).toEqual({
    mode: "domains",
    allowed: [{ host: "registry.npmjs.org", because: `sandbox.network.allowedDomains in ${file}` }],
    denied: [{ host: "evil.example", because: "the deny rule WebFetch(domain:evil.example) (user settings)" }],
    others: "ask",
    unixSockets: [{ path: "/run/docker.sock", because: `sandbox.network.allowUnixSockets in ${file}` }],
  })
  // What may be used must be seen.
  expect(pathsOf(workspace.hidden)).not.toContain("/run/docker.sock")
})

test("hosts: rules open what they name, and a repository's own rules, wide ones and asked ones open nothing", async () => {
  using folder = temporaryFolder()
  const { workspace, notes } = await policiesIn(folder, {
    canAsk: false,
    settings: { network: { allowedDomains: ["*.Example.com.", "localhost:5432", "http://x/"] } },
    rules: [
      ["allow", "WebFetch(domain:docs.rs)", "local settings"],
      ["allow", "WebFetch(domain:*.rust-lang.org)"],
      ["allow", "WebFetch(domain:evil.example)", "project settings"],
      ["allow", "WebFetch"],
      ["allow", "WebFetch(domain:asked.example)"],
      ["ask", "WebFetch(domain:asked.example)"],
    ],
  })
  if (workspace.network.mode !== "domains") throw new Error("the network is off")
  const { allowed, others } = workspace.network
  expect(allowed.map(({ host }) => host)).toEqual(["*.example.com", "localhost:5432", "docs.rs", "*.rust-lang.org"])
  expect(others).toBe("deny")
  expect(notes).toEqual([
    'not a host: "http://x/" of sandbox.network.allowedDomains in ~/.codewright/settings.json; write example.com or *.example.com',
  ])
})

test("a star among the denied hosts, or a deny of WebFetch, turns the network off", async () => {
  using folder = temporaryFolder()
  const off = await policiesIn(folder, { settings: { network: { deniedDomains: ["*"], allowedDomains: ["a.b"] } } })
  expect(off.workspace.network).toEqual({
    mode: "off",
    because: "sandbox.network.deniedDomains in ~/.codewright/settings.json",
  })
  const ruled = await policiesIn(folder, { rules: [["deny", "WebFetch"]] })
  expect(ruled.workspace.network).toEqual({ mode: "off", because: "the deny rule WebFetch (user settings)" })
})

test("limits and caches come from settings; a cache that does not exist has no place to lie over", async () => {
  using folder = temporaryFolder()
  const { workspace } = await policiesIn(folder, {
    files: { "home/.cargo/registry/": "" },
    settings: { limits: { processes: 64, memoryMb: 100 }, caches: "private" },
  })
  expect(workspace.limits).toEqual({ processes: 64, memoryBytes: 100 * 1024 * 1024 })
  expect(workspace.replaced).toEqual([
    {
      path: "@/home/.cargo/registry",
      from: "@/temp/caches/.cargo-registry",
      because: "sandbox.caches in ~/.codewright/settings.json",
    },
  ])
})

test("what appears at the top of the workspace is held from the next command on", async () => {
  using folder = temporaryFolder()
  const policies = openStory(folder, {})
  expect(pathsOf((await policies.now()).workspace.held)).not.toContain(folder.join("work/.vscode"))
  makeFiles(folder, { "work/.vscode/tasks.json": "{}", "work/.git/HEAD": "x" })
  const held = pathsOf((await policies.now()).workspace.held)
  expect(held).toContain(folder.join("work/.vscode"))
  expect(held).toContain(folder.join("work/.git/hooks"))
})

test("a worktree that was there is held, one that appeared while a confined command ran is not", async () => {
  using folder = temporaryFolder()
  const worktree = (name: string) => ({
    [`work/${name}/.git`]: `gitdir: ${folder.join("work/.git/worktrees", name)}\n`,
    [`work/.git/worktrees/${name}/HEAD`]: "ref: refs/heads/main\n",
    [`work/.git/worktrees/${name}/commondir`]: "../..\n",
  })
  makeFiles(folder, { ...repository, ...worktree("old") })
  const policies = openStory(folder, {})
  const heldOf = async (name: string): Promise<readonly string[]> => {
    const { workspace } = await policies.now()
    return workspace.held.map(({ path }) => path).filter((path) => path.includes(`/${name}/`))
  }
  const ofOld = [folder.join("work/.git/worktrees/old/commondir"), folder.join("work/old/.git")]
  expect((await heldOf("old")).toSorted()).toEqual(ofOld)
  const end = policies.begin((await policies.now()).workspace)
  makeFiles(folder, worktree("fresh"))
  await end()
  expect(await heldOf("fresh")).toEqual([])
  // One that a person makes while nothing confined runs is theirs.
  makeFiles(folder, worktree("mine"))
  await policies.begin((await policies.now()).workspace)()
  expect(await heldOf("mine")).toContain(folder.join("work/.git/worktrees/mine/commondir"))
  expect((await heldOf("old")).toSorted()).toEqual(ofOld)
})
