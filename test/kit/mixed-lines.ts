/** Random command lines: readers, writers and a program that a rule may name, put together in every way a shell has. */

import fc from "fast-check"

const files = [
  "a.txt",
  "b.txt",
  "out.txt",
  "package.json",
  "d1/same",
  "d1/key",
  "d2/key",
  "link-key",
  "link-out/key",
  "link-home/notes.txt",
  "../outside/key",
  "../outside/public.txt",
  "../shared/x",
  "~/.ssh/id_rsa",
  ".git/config",
  ".git/HEAD",
  "new/n.txt",
  "*.txt",
  "d1/*",
  "$f",
]
const folders = [".", "d1", "d2", "new", "link-out", "link-home", "../outside", "../outside/repo", ".git", "~"]

const file = fc.constantFrom(...files)
const folder = fc.constantFrom(...folders)

/** `F` and `D` stand for a file and a folder. */
const filled = (templates: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...templates),
      fc.array(file, { minLength: 3, maxLength: 3 }),
      fc.array(folder, { minLength: 2, maxLength: 2 }),
    )
    .map(([template, someFiles, someFolders]) => {
      const [f, d] = [[...someFiles], [...someFolders]]
      return template.replaceAll(/\b[FD]\b/g, (mark) => (mark === "F" ? f.pop() : d.pop()) ?? "a.txt")
    })

const readers = filled([
  "git status --short",
  "git status",
  "git diff",
  "git diff --stat",
  "git diff F",
  "git log --oneline -3",
  "git show HEAD",
  "git bisect log",
  "git sparse-checkout list",
  "git worktree list",
  "git ls-files",
  "git grep words",
  "git blame a.txt",
  "git -C D status",
  "cat F",
  "cat F F",
  "head -2 F",
  "tail -n 1 F",
  "nl F",
  "sort F",
  "wc -l F",
  "file F",
  "stat F",
  "xxd F",
  "base64 F",
  "cmp F F",
  "diff F F",
  "diff D D",
  "diff -r D D",
  "grep -n words F",
  "grep -r words D",
  "grep -R words D",
  "rg words D",
  "ls -l D",
  "ls -LR D",
  "ls F",
  "du -a D",
  "find D -type f",
  "find D -name '*key*' -exec cat {} +",
  "find -L D -type f",
  "find . -newer F -exec grep -l words {} \\;",
  "awk '{print $1}' F",
  "sed -n 1p F",
  "jq . F",
  "tar tf F",
  "cut -c1-40 F",
  "readlink -f F",
  "python3 -m json.tool F",
  "echo hello",
  "printf '%s\\n' F",
  "test -f F",
  "cd D",
  "pwd",
])

const writers = filled([
  "touch F",
  "mkdir -p new/deep",
  "mkdir -p D",
  "cp F F",
  "cp -r D new",
  "cp -L F b.txt",
  "mv F F",
  "mv F D",
  "rm F",
  "rm -f F",
  "rm -r new",
  "ln -s F b.txt",
  "ln -sfn D new",
  "ln F b.txt",
  "chmod 600 F",
  "tee F",
  "tee -a F",
  "echo words > F",
  "echo '[core] fsmonitor=x' >> F",
  "cat F > F",
  "sed -i s/words/other/ F",
  "tar cf out.tar F",
  "truncate -s 0 F",
])

const named = fc.constantFrom("./run-tests", "./run-tests words", "./run-tests 2>&1", "./run-tests > out.txt")

const part = fc.oneof(
  { weight: 6, arbitrary: readers },
  { weight: 3, arbitrary: writers },
  { weight: 2, arbitrary: named },
)

const { line } = fc.letrec<{ line: string; piece: string }>((tie) => {
  const one = tie("piece")
  return {
    line: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      one,
      fc
        .tuple(one, fc.constantFrom("; ", " && ", " || ", " | ", "\n"), tie("line"))
        .map(([first, joint, rest]) => `${first}${joint}${rest}`),
    ),
    piece: fc.oneof(
      { maxDepth: 2, depthSize: "small" },
      part,
      part,
      fc.tuple(part, file).map(([first, to]) => `${first} > ${to}`),
      fc.tuple(part, file).map(([first, to]) => `${first} >> ${to} 2>&1`),
      fc.tuple(part, file).map(([first, from]) => `${first} < ${from}`),
      tie("line").map((inner) => `(${inner})`),
      tie("line").map((inner) => `{ ${inner}; }`),
      tie("line").map((inner) => `echo "$(${inner})"`),
      tie("line").map((inner) => `f() { ${inner}; }; f`),
      fc.tuple(part, tie("line")).map(([test, then]) => `if ${test}; then ${then}; fi`),
      fc.tuple(file, part).map(([over, inner]) => `for f in ${over}; do ${inner}; done`),
      fc.tuple(part, readers).map(([first, inner]) => `${first} | xargs ${inner}`),
      fc.tuple(part).map(([inner]) => `timeout 5 ${inner}`),
      fc.tuple(part).map(([inner]) => `LC_ALL=C ${inner}`),
      fc.tuple(folder, tie("line")).map(([where, inner]) => `cd ${where} && ${inner}`),
      fc.tuple(part, part).map(([first, inner]) => `${first} "$(${inner})"`),
    ),
  }
})

export interface MixedCase {
  readonly command: string
  readonly mode: "default" | "acceptEdits" | "plan" | "dontAsk"
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  readonly world: "plain" | "links in git" | "named by git"
}

export const readsPublic = "Read(../outside/public.txt)"
export const editsShared = "Edit(../shared/**)"

export const mixedCase: fc.Arbitrary<MixedCase> = fc.record({
  command: line,
  mode: fc.constantFrom("default", "acceptEdits", "acceptEdits", "plan", "dontAsk"),
  allow: fc.subarray(["Bash(./run-tests:*)", readsPublic, editsShared, "Bash(cat:*)", "Bash(touch:*)", "Bash(ls:*)"]),
  deny: fc.subarray(["Read(../outside/key)", "Read(~/.ssh/**)", "Bash(rm:*)"]),
  world: fc.constantFrom("plain", "links in git", "named by git"),
})
