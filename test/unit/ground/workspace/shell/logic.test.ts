/** Loops, functions, reckoning and what a substitution prints: followed as bash would run them, or not understood. */

import { describe, expect, test } from "bun:test"
import { analyse } from "#ground/workspace/shell/analyse.ts"
import { isFree as isFreeIn } from "./decided.ts"
import { place } from "./place.ts"

const isFree = (command: string): boolean => isFreeIn(command, place)

/** The words of every part that starts a program, each once. */
const programs = (command: string): readonly string[] => [
  ...new Set(analyse(command, place).segments.map(({ argv }) => argv.join(" "))),
]

describe("a loop is followed until nothing new comes of it", () => {
  test("what one round sets holds for the next, also where one pattern stands for many rounds", () => {
    expect(programs("x=echo; for f in src/*; do $x a; x=rm; done")).toContain("echo a")
    for (const command of [
      "x=echo; for f in src/*; do $x a; x=rm; done",
      "x=echo; for f in $(ls); do $x a; x=rm; done",
      "x=echo; while true; do $x a; x=rm; done",
      "x=echo; for ((i=0; i<2; i++)); do $x a; x=rm; done",
      "x=a.txt; for f in src/*; do cat $x; x=/etc/passwd; done",
      "x=echo; y=echo; z=echo; for f in src/*; do $z a; z=$y; y=$x; x=rm; done",
    ])
      expect([command, isFree(command)]).toEqual([command, false])
  })

  test("whoever stops early takes along what was set until then", () => {
    for (const command of [
      "x=ls; while true; do x=rm; break; x=ls; done; $x f",
      "x=ls; for i in a b; do x=rm; break; x=ls; done; $x f",
      "x=ls; for i in src/*; do x=rm; continue; x=ls; done; $x f",
      "x=ls; for i in a b; do if [ -f q ]; then x=rm; break; fi; x=ls; done; $x f",
      "x=ls; while { x=rm; break; x=ls; }; do :; done; $x f",
      "stop() { x=rm; break; }; x=ls; for i in a b; do stop; x=ls; done; $x f",
    ])
      expect([command, isFree(command)]).toEqual([command, false])
  })

  test("counters and sums are numbers, and nothing else is reckoned with", () => {
    for (const command of [
      "i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done",
      "i=3; until [ $i -eq 0 ]; do echo $i; ((i--)); done",
      "for ((i=0; i<3; i++)); do echo $i; done",
      "n=0; for f in src/*; do n=$((n + $(wc -l < a.txt))); done; echo $n",
      "n=$(wc -l < a.txt); [[ $n -gt 3 ]] && echo many",
    ])
      expect([command, isFree(command)]).toEqual([command, true])
    for (const command of [
      "n=$(cat a.txt); echo $((n + 1))",
      "n=$(cat a.txt); ((n++))",
      "n=$(cat a.txt); [[ $n -gt 3 ]]",
      "n=0; for f in *.txt; do echo $((n + 1)); n=$f; done",
      "for ((i=0; i<a[$(rm x)]; i++)); do ls; done",
      "((x <<= y))",
    ])
      expect([command, isFree(command)]).toEqual([command, false])
  })

  test("a loop that moves through folders is not understood", () => {
    expect(isFree("for i in a b; do cd ..; ls; done")).toBe(false)
    expect(isFree("while true; do cd ..; ls; break; done")).toBe(false)
  })
})

describe("a function is what its commands are, with what it is given", () => {
  test("each call is read with its own words", () => {
    expect(programs('show() { head -n 2 "$1"; }; show a.txt; show b.txt')).toEqual([
      "head -n 2 a.txt",
      "head -n 2 b.txt",
    ])
    expect(programs('all() { cat "$@"; }; all a b')).toEqual(["cat a b"])
  })

  test("its own variables end with it, and others do not", () => {
    expect(programs('f() { local x=b; cat "$x"; }; x=a; f; cat "$x"')).toContain("cat a")
    expect(isFree("f() { x=rm; }; x=ls; f; $x a")).toBe(false)
  })

  test("what it must not do it does not do behind its name either", () => {
    for (const command of [
      "f() { rm a; }; f",
      'f() { "$@"; }; f rm a',
      'f() { cat "$1"; }; f /etc/passwd',
      "f() { cd /; }; f; cat etc/passwd",
      "f() { f; }; f",
      "ls() { rm a; }; ls",
      "cd() { rm a; }; cd src",
      "if true; then f() { rm a; }; fi; f",
      "f() { ls; }; f() { rm a; }; f",
      "f() ( rm a ); f",
      "f() { ls; } > out; f",
      "X=1; f() { ls; }; PATH=. f",
    ])
      expect([command, isFree(command)]).toEqual([command, false])
  })

  test("one that nobody calls is not passed over", () => {
    expect(isFree("f() { rm a; }; ls")).toBe(false)
    expect(programs("f() { rm a; }; ls")).toContain("rm a")
  })
})

describe("what a substitution prints is used where it is known not to be a flag", () => {
  test.each([
    ["git log $(git rev-parse HEAD)", true],
    ["git log $(git merge-base main HEAD)..HEAD", true],
    ["git rev-list -3 HEAD | xargs git show --stat", true],
    ["git log --format=%h -3 | while read -r h; do git show $h; done", true],
    ["ls $(dirname src/main.ts)", true],
    ["git log $(git branch --show-current)", false],
    ["git log $(git log --format=%s -1)", false],
    ["git log $(git merge-base a b)-n --output=x", false],
    ["sort $(git merge-base a b)-ox a", false],
    ["git rev-list --boundary a | xargs git show", false],
    ["git rev-parse HEAD 2>&1 | xargs git show", false],
    ["cat $(git rev-parse HEAD)", false],
    ["cat $(dirname /etc/x)/passwd", false],
    ["$(basename /bin/ls)", false],
  ])("%s: %p", (command, free) => expect(isFree(command)).toBe(free))
})
