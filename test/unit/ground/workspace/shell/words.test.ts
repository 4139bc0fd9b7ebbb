import { describe, expect, test } from "bun:test"
import { analyse } from "#ground/workspace/shell/analyse.ts"
import { place, project } from "./place.ts"

const argvOf = (command: string): readonly (readonly string[])[] => {
  const analysis = analyse(command, place)
  if (!analysis.understood) throw new Error(`${command}: ${analysis.why}`)
  return analysis.segments.map(({ argv }) => argv)
}

const whyNot = (command: string): string | undefined => {
  const analysis = analyse(command, place)
  return analysis.understood ? undefined : analysis.why
}

describe("words become what the program gets", () => {
  test.each<[string, string[]]>([
    [`echo a b`, ["echo", "a", "b"]],
    [`echo 'a b' "c d"`, ["echo", "a b", "c d"]],
    [`echo a\\ b \\"`, ["echo", "a b", '"']],
    [`echo "a\\"b\\$c\\d"`, ["echo", 'a"b$c\\d']],
    [`echo 'it'\\''s'`, ["echo", "it's"]],
    [`echo $'a\\tb\\'c'`, ["echo", "a\tb'c"]],
    [`echo ""`, ["echo", ""]],
    [`echo ~ ~/x a~b "~"`, ["echo", "/home/dev", "/home/dev/x", "a~b", "~"]],
    [`echo $HOME "$PWD/x"`, ["echo", "/home/dev", `${project}/x`]],
    [`echo x{1..3} {a,b}c {c..a}`, ["echo", "x1", "x2", "x3", "ac", "bc", "c", "b", "a"]],
    [`echo HEAD@{1} {} @{u}`, ["echo", "HEAD@{1}", "{}", "@{u}"]],
    [`"ls" -l`, ["ls", "-l"]],
    [`l\\s`, ["ls"]],
    [`echo "$(pwd)"`, ["echo", project]],
    [`echo 'a\nb'`, ["echo", "a\nb"]],
  ])("%s", (command, argv) => {
    expect(argvOf(command).at(-1)).toEqual(argv)
  })

  test("a variable that the script set is known, and one that it did not is not", () => {
    expect(argvOf(`x=src; y=$x/lib; ls $x "$y"`).at(-1)).toEqual(["ls", "src", "src/lib"])
    expect(whyNot(`ls $OTHER`)).toBe("nobody knows what $OTHER is")
    expect(analyse("ls $y", place).segments).toMatchObject([{ inexact: [1], unbounded: true }])
    expect(whyNot(`x='a b'; ls $x`)).toContain("split")
    expect(argvOf(`x='a b'; ls "$x"`).at(-1)).toEqual(["ls", "a b"])
  })

  test("a variable set in one branch is not known after it", () => {
    expect(whyNot(`if ls; then x=a; fi; cat $x`)).toContain("$x")
    expect(argvOf(`if ls; then x=a; else x=a; fi; cat $x`).at(-1)).toEqual(["cat", "a"])
    expect(argvOf(`(x=a); cat $x`).at(-1)).toEqual(["cat", "$x"])
    expect(argvOf(`x=a | ls; cat $x`).at(-1)).toEqual(["cat", "$x"])
  })

  test("a loop over words is its body once for each", () => {
    expect(argvOf(`for f in a 'b c'; do cat "$f"; done`)).toEqual([
      ["cat", "a"],
      ["cat", "b c"],
    ])
  })

  test("patterns and substitutions are told apart from exact words", () => {
    const analysis = analyse(`cat a src/*.ts "$(ls)" b`, place)
    expect(analysis.segments.at(-1)).toMatchObject({ argv: ["cat", "a", "src/*.ts", "$(ls)", "b"], inexact: [2, 3] })
  })
})

describe("what is not understood says why, and still shows its parts to deny rules", () => {
  test.each([
    ["eval 'rm -rf build'", "rm"],
    ["f() { rm x; }; ls", "rm"],
    ["[[ -v $(rm x) ]]", "rm"],
    ["ls $UNKNOWN; rm x", "rm"],
    ["echo ${x:-$(rm x)}", "rm"],
    ["a=($(rm x))", "rm"],
    ["coproc rm x", "rm"],
  ])("%s", (command, program) => {
    const { understood, segments } = analyse(command, place)
    expect(understood).toBe(false)
    const all = segments.flatMap((segment) => [segment, ...segment.behind])
    expect(all.map(({ argv }) => argv[0])).toContain(program)
  })

  test("what a shell would run is laid open behind it", () => {
    const behind = (command: string): readonly string[] =>
      analyse(command, place).segments.flatMap((segment) => segment.behind.map(({ argv }) => argv.join(" ")))
    expect(behind("bash -c 'git push --force'")).toContain("git push --force")
    expect(behind("sudo -u root rm -rf x")).toContain("rm -rf x")
    expect(behind("ssh host 'rm x'")).toContain("rm x")
    expect(behind(`bash -c "sh -c 'rm x'"`)).toContain(`sh -c rm x`)
  })
})
