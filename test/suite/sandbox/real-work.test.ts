/** Real work in the sandbox, unasked: what a day of programming runs, and what each command must come to. */

import { describe, expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { bwrap, ended } from "../../kit/confine.ts"
import { act, promptId } from "../../kit/going-back.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { openRegistry } from "../../kit/registry.ts"
import { calls, says, use } from "../../kit/script.ts"
import { openTurns } from "../../kit/turns.ts"

interface Step {
  readonly run: string
  readonly result: string | RegExp
  readonly background?: true
}

const silence = "The command succeeded and printed nothing."
const git = "git -c user.name=a -c user.email=a@b"

const everyday: readonly Step[] = [
  { run: "git init -q -b main . && git add . && git status --short | wc -l", result: "9" },
  { run: `${git} commit -qm "First commit" && git log --format=%s`, result: "First commit" },
  { run: "git status --short --ignored", result: silence },
  { run: "git status --short --ignored > seen.txt; cat seen.txt; rm seen.txt", result: "?? seen.txt" },
  { run: "git checkout -q -b feature && git branch --show-current", result: "feature" },
  { run: "sed -i s/hello/goodbye/ greet.js && git diff --shortstat", result: / 1 file changed, 1 insertion/ },
  { run: `${git} stash -q && git diff --quiet && git stash pop -q && git diff --name-only`, result: "greet.js" },
  { run: `${git} commit -qam "Say goodbye" && git log --oneline | wc -l`, result: "2" },
  { run: "git worktree add -q trees/other main && cat trees/other/greet.js", result: /hello/ },
  {
    run: `echo more >> trees/other/notes.txt && ${git} -C trees/other commit -qam "More" && git log -1 --format=%s main`,
    result: "More",
  },
  { run: "git worktree remove trees/other && git worktree list | wc -l", result: "1" },
  { run: `${git} merge -q --no-edit main && git log --merges --oneline | wc -l`, result: "1" },
  // Git also wants to tidy its configuration, which is held, and says that it cannot.
  { run: "git checkout -q main && git merge -q feature && git branch -q -d feature && git branch", result: /\* main$/ },
  { run: "npm ci --no-audit --no-fund --loglevel error && node -p \"require('small-sum')(2, 3)\"", result: /\b5$/ },
  { run: "npm run -s hello", result: "goodbye from npm" },
  { run: "node --test 2>&1 | grep -E '^# (pass|fail)'", result: "# pass 1\n# fail 0" },
  { run: "python3 -m unittest -q test_sum 2>&1 | tail -1", result: "OK" },
  { run: "rg -l small-sum --glob '*.json' --sort path", result: "package-lock.json\npackage.json" },
  { run: "grep -rn --include='*.c' 'main(void)' . | cut -d: -f1,2", result: "./main.c:2" },
  { run: "make -s && ./answer", result: "42" },
  { run: 'f=$(mktemp); echo kept > "$f"; cat "$f"; rm "$f"', result: "kept" },
  { run: "cat <<'END' | tr a-z A-Z | tee loud.txt\nhello\nEND", result: "HELLO" },
  { run: "(sleep 0.05; echo a > one) & (echo b > two) & wait; cat one two; rm one two", result: "a\nb" },
  { run: 'read -r first rest <<< "one two three"; echo "$rest"', result: "two three" },
  {
    run: 'd=$(mktemp -d); tar -cf "$d/all.tar" notes.txt; tar -tf "$d/all.tar"; rm -rf "$d"; test ! -e "$d"',
    result: "notes.txt",
  },
  { run: "find . -name '*.py' -not -path './node_modules/*' | xargs wc -l", result: "5 ./test_sum.py" },
  {
    run: "mkdir -p build/deep && cp notes.txt build/deep && mv build/deep/notes.txt build/n && rm -r build/deep && ls build",
    result: "n",
  },
  { run: "for i in 1 2 3; do touch n$i; done; ls n? | wc -l; rm n1 n2 n3", result: "3" },
  {
    run: "python3 -m http.server 8765 --bind 127.0.0.1 --directory build",
    background: true,
    result: /^Started in the background as bash_1\./,
  },
  { run: "until curl -sf http://127.0.0.1:8765/n; do sleep 0.1; done", result: "note\nmore" },
  { run: "ls /nowhere", result: /^Exit code 2\n/ },
  // Shells and make have handlers for children that end, which must not get in the way of the next one.
  {
    run: "sh -c 'i=0; while [ $i -lt 300 ]; do cat notes.txt | cat | cat > /dev/null || exit; i=$((i + 1)); done; echo $i'",
    result: "300",
  },
  { run: "make -s -j8 parts && ls parts | wc -l", result: "24" },
  {
    run: "python3 -c \"import subprocess; print(sum(subprocess.run(['sh', '-c', 'exit 1']).returncode for _ in range(200)))\"",
    result: "200",
  },
]

const files: { readonly [path: string]: string } = {
  ".gitignore": "node_modules/\nanswer\nparts/\n__pycache__/\n",
  "greet.js": 'console.log("hello from npm")\n',
  "sum.test.js":
    'require("node:test").test("sums", () => require("node:assert").equal(require("small-sum")(1, 1), 2))\n',
  "test_sum.py":
    "import unittest\n\nclass Sums(unittest.TestCase):\n    def test_sum(self):\n        self.assertEqual(sum([1, 2]), 3)\n",
  "main.c": '#include <stdio.h>\nint main(void) { printf("%d\\n", 6 * 7); return 0; }\n',
  Makefile: `answer: main.c\n\tcc -o answer main.c
parts: $(foreach n,$(shell seq 24),parts/$(n).o)
parts/%.o: main.c\n\tmkdir -p parts && cc -c -o $@ $<\n.PHONY: parts\n`,
  "notes.txt": "note\n",
}

const makers = [
  ["the helper", {}],
  ["bubblewrap", { place: { bubblewrap: [bwrap ?? ""] } }],
] as const

describe.skipIf(bwrap === null).each(openTurns()(makers))("in a sandbox by %s, with auto-allow", (_maker, how) => {
  test("34 everyday commands come to what they should, nobody is asked, and undo takes them back", async () => {
    using registry = openRegistry({ "small-sum": "module.exports = (a, b) => a + b\n" })
    const before = { ...files, ...registry.project({ scripts: { hello: "node greet.js" } }) }
    const value = { network: { allowedDomains: [registry.host] } }
    await using t = await openTestSession({
      ...how,
      script: [
        ...everyday.map(({ run, background }) =>
          calls(use("Bash", { command: run, ...(background && { run_in_background: true }) })),
        ),
        says("Done."),
      ],
      files: before,
      mode: "default",
      allow: [],
      sandbox: {
        values: { enabled: true, autoAllowBashIfSandboxed: true },
        sources: [{ source: "user settings", file: "settings.json", base: "/", value }],
      },
    })
    await t.prompt("work")

    const results = t.results().map(({ content }) => String(content))
    expect(results).toEqual(
      everyday.map(({ result }) => (typeof result === "string" ? result : expect.stringMatching(result))),
    )
    const decided = t.entries().flatMap((entry) => (entry.kind === "decision" ? [entry.behavior] : []))
    expect(decided).toEqual(everyday.map(() => "allow"))
    expect(t.results().map(({ data }) => data?.["sandbox"])).toEqual(
      everyday.map(() => ({ by: "bubblewrap", as: expect.stringMatching(/^(?:workspace|reader)$/) })),
    )
    expect(registry.served()).toEqual(["/small-sum/-/small-sum-1.0.0.tgz"])

    // The same seen from outside, where no placeholder is left.
    const outside = await ended(["git", "-C", t.root, "status", "--short"])
    expect(outside.out).toBe("?? build/\n?? loud.txt\n")
    expect((await ended(["git", "-C", t.root, "fsck", "--strict"])).code).toBe(0)
    expect((await ended(["git", "-C", t.root, "log", "--format=%s", "main"])).out).toContain("Say goodbye")
    expect([t.read("loud.txt"), t.read("build/n")]).toEqual(["HELLO\n", "note\nmore\n"])

    await act(t, { type: "rewind", promptId: promptId(t, "work"), what: "files" })
    // The server in the background still runs, and the placeholders of its sandbox are no command's change.
    const placeholders = [".codewright", ".claude"]
    const left = readdirSync(t.root).filter(
      (name) => ![".git", "node_modules", "answer", "parts", "__pycache__", ...placeholders].includes(name),
    )
    expect(Object.fromEntries(left.map((name) => [name, readFileSync(t.path(name), "utf8")]))).toEqual(before)
  })
})
