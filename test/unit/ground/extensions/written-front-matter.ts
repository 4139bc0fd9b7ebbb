/** Heads as people write them, and what each must come to. */

import type { FileKind } from "#ground/extensions/fields.ts"

export interface HeadCase {
  readonly why: string
  readonly kind: FileKind
  readonly head: string
  /** What is understood: by the names of the table. */
  readonly is?: { readonly [field: string]: string | boolean | number | readonly string[] | undefined }
  /** A part of the reason for which the file is rejected. */
  readonly rejected?: string
  readonly problems?: readonly string[]
}

const agent = (why: string, head: string, is: NonNullable<HeadCase["is"]>, problems?: readonly string[]): HeadCase => ({
  why,
  kind: "agent",
  head,
  is,
  ...(problems && { problems }),
})
const command = (
  why: string,
  head: string,
  is: NonNullable<HeadCase["is"]>,
  problems?: readonly string[],
): HeadCase => ({ ...agent(why, head, is, problems), kind: "command" })
const rejected = (why: string, head: string, reason: string, kind: FileKind = "agent"): HeadCase => ({
  why,
  kind,
  head,
  rejected: reason,
})

export const heads: readonly HeadCase[] = [
  // Plain YAML.
  agent(
    "an ordinary agent",
    "name: reviewer\ndescription: Reviews pull requests.\ntools: Read, Grep, Glob\nmodel: sonnet",
    {
      name: "reviewer",
      description: "Reviews pull requests.",
      tools: ["Read", "Grep", "Glob"],
      model: "sonnet",
    },
  ),
  agent("tools as a list in brackets", "tools: [\"Read\", 'Grep', Glob]", { tools: ["Read", "Grep", "Glob"] }),
  agent("tools as lines", "tools:\n  - Read\n  - Grep", { tools: ["Read", "Grep"] }),
  agent("lines that are not indented", "tools:\n- Read\n- Grep\nmodel: opus", {
    tools: ["Read", "Grep"],
    model: "opus",
  }),
  agent("rules among the tools", "tools: Read, Bash(git log:*), Bash(git diff *)", {
    tools: ["Read", "Bash(git log:*)", "Bash(git diff *)"],
  }),
  agent("a comma inside a rule", "tools: [Read, 'Bash(git add, git rm)']", {
    tools: ["Read", "Bash(git add, git rm)"],
  }),
  agent("several in one quoted string", 'disallowedTools: "Write, Edit"', { disallowedTools: ["Write", "Edit"] }),
  agent("several in one item", 'disallowedTools:\n  - "Write, Edit"\n  - Bash', {
    disallowedTools: ["Write", "Edit", "Bash"],
  }),
  agent("separated by spaces", "tools: Read Grep", { tools: ["Read", "Grep"] }),
  agent("a comment behind a value", "permissionMode: plan # reads only\nmaxTurns: 5 # few", {
    permissionMode: "plan",
    maxTurns: 5,
  }),
  agent("comments in a list", "disallowedTools: # none of these\n  - Bash # no shell\n  # - Read\n  - Write", {
    disallowedTools: ["Bash", "Write"],
  }),
  agent("a whole line of comment", "# prettier-ignore\nname: a\n# tools: Read", { name: "a", tools: undefined }),
  agent("a number sign that begins nothing", "description: Fixes issue#12 in C#", {
    description: "Fixes issue#12 in C#",
  }),
  agent("folded over lines", "description: >-\n  One\n  two.\nmodel: haiku", {
    description: "One two.",
    model: "haiku",
  }),
  agent("kept over lines", "description: |\n  One: a\n  tools: Read\nmodel: haiku", {
    description: "One: a\ntools: Read",
    tools: undefined,
    model: "haiku",
  }),
  agent("a plain value over lines", "description: One\n  two\n  three\ntools: Read", {
    description: "One two three",
    tools: ["Read"],
  }),
  agent("single quotes doubled", "description: 'It''s: fine'", { description: "It's: fine" }),
  agent("escapes in double quotes", String.raw`description: "Use when:\n- tests fail\t\u00e9"`, {
    description: "Use when:\n- tests fail\té",
  }),
  agent("dashes inside a value", "description: a --- b\nname: x---y", { description: "a --- b", name: "x---y" }),
  agent("numbers and words of logic as names", "name: 42\ndescription: true\nmodel: 4.5", {
    name: "42",
    description: "true",
    model: "4.5",
  }),
  agent("a number in quotes", "maxTurns: '12'", { maxTurns: 12 }),
  agent("yes and no", "background: yes\nforkContext: No", { background: true, forkContext: false }),
  agent("on and off in quotes", "background: 'on'\nforkContext: \"OFF\"", { background: true, forkContext: false }),
  agent("another spelling of the field", "disallowed-tools: Bash\npermission_mode: Plan\nMaxTurns: 3", {
    disallowedTools: ["Bash"],
    permissionMode: "plan",
    maxTurns: 3,
  }),
  agent("quoted fields", "\"tools\": Read\n'model': opus", { tools: ["Read"], model: "opus" }),
  agent("a blank before the colon", "tools : Read\ndisallowedTools  : Bash", {
    tools: ["Read"],
    disallowedTools: ["Bash"],
  }),
  agent("what an agent may use, as commands write it", "allowed-tools: Read, Grep", { tools: ["Read", "Grep"] }),
  agent("no tools at all", "tools: []", { tools: [] }),
  agent("tools left blank", "tools:\nmodel: opus", { tools: [], model: "opus" }),
  agent("a limit left blank", "permissionMode:\nmaxTurns:\nisolation: ''\ndisallowedTools:", {
    permissionMode: undefined,
    maxTurns: undefined,
    isolation: undefined,
    disallowedTools: [],
  }),
  agent("all of it indented", "  name: a\n  tools: Read\n  maxTurns: 2", { name: "a", tools: ["Read"], maxTurns: 2 }),
  agent(
    "an anchor and its alias",
    "tools: &readers [Read, Grep]\nskills: *readers",
    { tools: ["Read", "Grep"], skills: ["Read", "Grep"] },
    [],
  ),
  agent("notes, and a first prompt", "memory: Project\ninitialPrompt: |\n  Look around.\n  Then ask.", {
    memory: "project",
    initialPrompt: "Look around.\nThen ask.",
  }),
  agent("notes nowhere", "memory: everywhere", { memory: undefined }, [
    "memory must be user, project or local, not everywhere; it is left out.",
  ]),
  agent("names of prototypes", "__proto__: {x: [Bash]}\nconstructor: x\ntools: Read", { tools: ["Read"] }),
  rejected(
    "a limit in the name of a prototype",
    "__proto__: {tools: [Bash]}\nname: a",
    "its field tools stands inside",
  ),
  agent("a list of one colon more", "disallowedTools:\n  - Bash(npm run: x)", {
    disallowedTools: ["Bash(npm run: x)"],
  }),
  agent("isolation", "isolation: Worktree", { isolation: "worktree" }),
  agent("fields of somebody else", "tier: judgment\nlevel: 3\ntags: [a, b]\ntools: Read", { tools: ["Read"] }, []),
  agent("an empty head", "", { name: undefined, tools: undefined }, []),
  agent("nothing but comments", "# later", { name: undefined }, []),
  agent("written twice, harmless", "color: red\ncolor: blue", { color: "blue" }, [
    "color is written twice; the last one counts.",
  ]),
  agent("a text that is a list", "description: [a, b]", { description: "a, b" }),
  agent("a text that is none", "name: a\ndescription:\n  x: [1]", { name: "a", description: undefined }, [
    "description must be a string; it is left out.",
  ]),
  command("what a command allows", "allowed-tools: Bash(git add:*), Bash(git status:*)\ndescription: Commits", {
    allowedTools: ["Bash(git add:*)", "Bash(git status:*)"],
    description: "Commits",
  }),
  command("flags", "disable-model-invocation: true\nuser-invocable: 'false'", {
    disableModelInvocation: true,
    userInvocable: false,
  }),
  command("a hint in brackets", "argument-hint: [file]", { argumentHint: "[file]" }),
  command("a hint with a number sign", "argument-hint: <number | #N | url>", { argumentHint: "<number | #N | url>" }),
  command("a hint in quotes", "argument-hint: '[a] [b]'", { argumentHint: "[a] [b]" }),
  command("globs", "paths: 'src/{a,b}/**, *.ts'", { paths: ["src/{a,b}/**", "*.ts"] }),
  command("globs as a list", 'paths:\n  - "src/**/*.ts"\n  - "*.md"', { paths: ["src/**/*.ts", "*.md"] }),

  // YAML refuses these; they are read once more, field by field.
  agent(
    "a colon in a description",
    "name: a\ndescription: Use this: when tests fail\ntools: Read # only\nmaxTurns: 3",
    {
      name: "a",
      description: "Use this: when tests fail",
      tools: ["Read"],
      maxTurns: 3,
    },
  ),
  agent(
    "examples in a description",
    'name: a\ndescription: Use it often. Examples:\n  user: "fix: it"\n  assistant: "ok"\ntools:\n  - Read # only\nmodel: opus',
    { description: 'Use it often. Examples: user: "fix: it" assistant: "ok"', tools: ["Read"], model: "opus" },
  ),
  agent("a quote that is not closed", 'description: "Use: it\ntools: Read', {
    description: '"Use: it',
    tools: ["Read"],
  }),
  agent("an escape that does not exist", 'description: "C:\\dir\\q"\ntools: [Read]', {
    description: String.raw`C:\dir\q`,
    tools: ["Read"],
  }),
  agent("a tab for indentation", "tools:\n\t- Read\n\t- Grep\nmodel: opus", { tools: ["Read", "Grep"], model: "opus" }),
  agent("a bare star", "tools: *\nmodel: opus", { tools: ["*"], model: "opus" }),
  agent("a bare star in brackets", "tools: [*]", { tools: ["*"] }),
  agent("names each in quotes", 'tools: "Read", "Grep"', { tools: ["Read", "Grep"] }),
  agent("a colon in a rule", "tools: Read, Bash(npm run: *) # those", { tools: ["Read", "Bash(npm run: *)"] }),
  agent("no blank behind the colon", "name: a: b\ntools:Read,Grep\ndisallowedTools:Bash", {
    tools: ["Read", "Grep"],
    disallowedTools: ["Bash"],
  }),
  agent("a value that begins with a sign", "description: @team reviews `code`\ntools: Read", {
    description: "@team reviews `code`",
    tools: ["Read"],
  }),
  command("two hints in brackets", "argument-hint: [a] [b]\nallowed-tools: Read", {
    argumentHint: "[a] [b]",
    allowedTools: ["Read"],
  }),
  command("a colon in what a command is for", "description: Deploy: now\ndisable-model-invocation: true # by hand", {
    description: "Deploy: now",
    disableModelInvocation: true,
  }),

  // A limit that cannot be kept.
  rejected("a mode that there is not", "permissionMode: readonly", "permissionMode must be one of"),
  rejected("two modes", "permissionMode: [plan, default]", "permissionMode must be one of"),
  rejected("a map of tools", "tools:\n  Read: true\n  Bash: false", "tools must be a list of names"),
  rejected("a list of lists", "disallowedTools: [[Bash]]", "disallowedTools must be a list of names"),
  rejected(
    "a limit twice",
    "disallowedTools: Bash\nname: a\ndisallowedTools: Write",
    "disallowedTools is written twice",
  ),
  rejected("a limit twice, by two names", "tools: Read\nallowed-tools: Read, Bash", "allowed-tools is written twice"),
  rejected("a misspelled limit", "disalowedTools: Bash", "did you mean disallowedTools?"),
  rejected(
    "a limit inside a broken description",
    "description: a: b\n  disallowedTools: Bash",
    "stands inside another",
  ),
  rejected("a limit inside an open quote", 'description: "a\n disallowedTools: Bash', "stands inside another one"),
  rejected("a limit before everything", "- x\n  tools: Read\nname: a: b", "stands inside another one"),
  rejected("a limit that YAML refuses", "disallowedTools: [Bash, Write\nname: a", "disallowedTools cannot be read"),
  rejected("a mode that YAML refuses", "permissionMode: plan: yes", "permissionMode cannot be read"),
  rejected("quotes in the middle of names", 'disallowedTools: "Ba"sh, @x', "disallowedTools cannot be read"),
  rejected("fields in braces", "{name: a, tools: Read}", 'must be lines of "field: value"'),
  rejected("fields that are merged in", "x: &x {tools: Read}\n<<: *x", "line 3: merge keys"),
  rejected(
    "fields behind a question mark",
    "name: a\n? tools\n: Read",
    "line 3: merge keys and keys with ? are not read; write each field out",
  ),

  // What YAML has its own ideas of.
  agent("braces in a description", "name: a\ndescription: {x}", { description: "{x}" }, []),
  agent("braces at its beginning", "description: {x} and more", { description: "{x} and more" }, []),
  agent("a word with an exclamation mark before it", "description: !important do it", {
    description: "!important do it",
  }),
  agent("a tag of YAML's own", "tools: !!str Read\nmaxTurns: !!int 5", { tools: ["Read"], maxTurns: 5 }, []),
  agent("tabs", "name:\ta\ntools:\n\t- Read\n\t- Bash", { name: "a", tools: ["Read", "Bash"] }, []),
  agent("spaces of web pages", "name:\u00A0a\n\u200Btools:\u00A0Read", { name: "a", tools: ["Read"] }, []),
  agent(
    "a quote without its end",
    'description: "say it\ntools: Read',
    { description: '"say it', tools: ["Read"] },
    [],
  ),
  agent("a description twice", "description: a\ndescription: b", { description: "b" }, [
    "description is written twice; the last one counts.",
  ]),
  agent("what metadata holds", "metadata:\n  tools: Read", { tools: undefined }),
  rejected(
    "a limit that may mean not",
    "name: a\ndisallowedTools: !Read",
    "line 3: disallowedTools has !Read in it; remove the ! or use quotes",
  ),
  rejected("such a limit in a list", "name: a\ntools:\n  - Read\n  - !Bash Bash", "tools has !Bash in it"),
  rejected("a mode that may mean not", "permissionMode: !plan plan", "permissionMode has !plan in it"),
  rejected(
    "a quote without its end around a limit",
    'name: a\ntools: "Read, Bash',
    "line 3: tools cannot be read; write names with commas: Read, Grep",
  ),
  rejected(
    "a limit with a colon of another script",
    "description: d\ntools： Read",
    "its field tools stands inside another one",
  ),
  rejected("a limit with an equals sign", "description: d\ntools = Read", "its field tools stands inside another one"),
  rejected(
    "a limit inside an unknown field",
    "options:\n  disallowedTools: Bash",
    "line 2: its field disallowedTools stands inside another one; begin its line at the left",
  ),
  rejected("a field by its codes", String.raw`"too\x6cs": Read`, 'must be lines of "field: value"'),
  rejected("turns without end", "maxTurns: .inf", "maxTurns must be a whole number"),
  rejected("half a turn", "maxTurns: 0.5", "maxTurns must be a whole number"),
  rejected("a structure without end", "hooks: &a {Stop: [*a]}", "nested too deeply"),
  rejected("too many anchors", Array.from({ length: 20 }, (_, i) => `a${i}: &a${i} x`).join("\n"), "too many anchors"),
  rejected("deep nesting", `hooks: ${"[".repeat(40)}${"]".repeat(40)}`, "nested too deeply"),
  rejected("nesting beyond measure", `hooks: ${"[".repeat(30_000)}`, "hooks cannot be read"),
  rejected("a flag that is neither", "user-invocable: sometimes", "user-invocable must be true or false", "skill"),
  rejected("allowed twice", "allowed-tools: Read\nallowed-tools: Bash", "allowed-tools is written twice", "command"),
  rejected("an allowance that is no list", "allowed-tools: {Bash: all}\nname: x: y", "allowed-tools", "command"),
  rejected("a head that is too large", `description: ${"x".repeat(70_000)}`, "larger than 64 kB", "style"),
]
