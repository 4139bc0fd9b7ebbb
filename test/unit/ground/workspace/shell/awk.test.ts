/** awk programs that run unasked, against the awks there are: none of them runs, opens or shows anything else. */

import { describe, expect, test } from "bun:test"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import fc from "fast-check"
import { onlyReckons } from "#ground/workspace/shell/programs/awk-program.ts"
import { temporaryFolder } from "../../../../kit/tmp.ts"
import { isFree } from "./decided.ts"
import { place } from "./place.ts"
import { runs } from "../../../../kit/runs.ts"

describe("a program that prints, compares and reckons", () => {
  test.each([
    "{print $2}",
    "{ print $1, $NF }",
    '{print $1 ": " $3}',
    "NR > 1 && $3 > 10 {print $1}",
    "{s += $1} END {print s}",
    "{s+=$1} END{print s/NR}",
    '/TODO/ {print FILENAME ": " $0}',
    "!seen[$0]++",
    "NR==10,NR==20",
    "$1 ~ /^a[0-9]+$/ || $2 !~ /x\\/y/",
    'BEGIN {FS=","; OFS="\\t"} {print $1, $2}',
    "{a[$1]++} END {for (k in a) print k, a[k]}",
    '{for (i = 1; i <= NF; i++) if ($i > m) m = $i} END {printf "%d\\n", m}',
    '{gsub(/foo/, "bar"); print toupper(substr($0, 1, 3))}',
    '{ if (length($0) > 80) { n++; print FNR ": " $0 } else next }',
    '{print (NR % 2 == 0 ? "even" : "odd")}',
    "{print ($1 > 2)}",
    "END { print NR }",
    "1",
    '{ $1 = ""; print }',
    "/start/,/end/",
    "{print $(NF-1)} # the last but one",
    "{ while (i < 3) i++; print i }",
    "{ print length }",
    "($1, $2) in a",
  ])("%s", (program) => {
    expect(onlyReckons(program)).toBe(true)
  })
})

describe("a program that could do more", () => {
  test.each([
    'BEGIN {system("id")}',
    'BEGIN {system ("id")}',
    '{print > "out"}',
    '{print $1 >> "out"}',
    "{print $1, $2 > $3}",
    '{print (1)(2) > "out"}',
    '{printf("%s", $1) > "out"}',
    '{print | "sh"}',
    '{print |& "sh"}',
    'BEGIN {"id" | getline x}',
    'BEGIN {getline x < "/etc/passwd"}',
    'BEGIN {while ((getline l < "f") > 0) print l}',
    "{getline; print}",
    'BEGIN {print ENVIRON["HOME"]}',
    "BEGIN {for (k in PROCINFO) print k}",
    'BEGIN {ARGV[1] = "/etc/passwd"; ARGC = 2}',
    'BEGIN {SYMTAB["x"] = 1}',
    "function f(x) {return x} {print f(1)}",
    "func f (x) { return system (x) } { f (1) }",
    'BEGIN {f = "system"; @f("id")}',
    '@include "x"',
    '@load "filefuncs"',
    'BEGIN {close("x"); fflush()}',
    '{print a /"/ > "x" /"/}',
    '{print /[/]/ > "x"}',
    '{print "a\\\n" > "x"}',
    'BEGIN {switch (1) {case 1: system("id")}}',
    '{x = y\\\n| "sh"}',
    '{print 1 ? 2 : 3 > "x"}',
    '{print 1 &&\n2 > "x"}',
    '{print 1,\n2 > "x"}',
    '{if (1) print 1 > "x"; else print 2}',
    "{print $1",
    "print $1}",
    "",
  ])("%s", (program) => {
    // An empty program does nothing at all.
    expect(onlyReckons(program)).toBe(program === "")
  })
})

test("flags and files around a program", () => {
  const free = (command: string): boolean => isFree(command, place)
  expect(free("awk -F, '{print $1}' src/a.csv")).toBe(true)
  expect(free("awk -F '\\t' -v n=3 '$1 > n' src/a.csv | sort | head")).toBe(true)
  expect(free("ps aux | awk '{print $2}'")).toBe(true)
  expect(free("awk '{print $1}' /etc/passwd")).toBe(false)
  expect(free("awk -f prog.awk src/a")).toBe(false)
  expect(free("awk '{print $1}' -f prog.awk")).toBe(false)
  expect(free("awk -v ENVIRON=1 '{print}' a")).toBe(false)
  expect(free("awk -v x=$(id) '{print x}' a")).toBe(false)
  expect(free('awk "{print $x}" a')).toBe(false)
  expect(free("gawk -i inplace '{print}' a")).toBe(false)
  expect(free("awk -W exec f")).toBe(false)
  expect(free("awk '{print $1}' > out")).toBe(false)
})

const pieces =
  'BEGIN END { } ( ) [ ] ; , \n print printf if else while for in next exit delete getline system close function return x y a k $1 $0 $NF NR NF FILENAME ENVIRON ARGV PROCINFO length substr gsub split 1 2 0.5 "out" "touch out" "f" "%s" /a/ /[/]/ /\\// / + - * % ^ ! ~ !~ < > >> <= == = += ++ -- && || | |& ? : # \\ @ \''.split(
    " ",
  )
const harmless = [
  "{ print $1 , $2 }",
  "NR > 1 { x += $1 } END { print x }",
  "{ a [ $1 ] ++ } END { for ( k in a ) print k , a [ k ] }",
  "{ if ( $1 > 2 ) print $2 ; else print $1 }",
  '/a/ { gsub ( /a/ , "f" ) ; print length ( $0 ) }',
  '{ print ( $1 > 2 ? "f" : "%s" ) }',
  '{ printf "%s" , $1 }',
]

/** Harmless programs in which words were put in, taken out or exchanged. */
const programs = fc
  .tuple(
    fc.constantFrom(...harmless),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom("in", "out", "other"), fc.constantFrom(...pieces)), { maxLength: 4 }),
    fc.constantFrom(" ", ""),
  )
  .map(([base, changes, glue]) => {
    const words = base.split(" ")
    for (const [place_, how, piece] of changes) {
      const at = place_ % (words.length + 1)
      if (how === "in") words.splice(at, 0, piece)
      else if (how === "out") words.splice(at, 1)
      else words.splice(at, 1, piece)
    }
    return words.map((word) => (/^[A-Za-z]/.test(word) ? `${word} ` : word)).join(glue)
  })

for (const name of ["mawk", "gawk", "original-awk"]) {
  const file = Bun.which(name)
  test.skipIf(file === null)(`what is free does nothing but print: ${name}`, () => printsOnly(file ?? name), 120_000)
}

function printsOnly(awk: string): void {
  using folder = temporaryFolder()
  writeFileSync(folder.join("input"), "1 2 a\n3 4 b\n")
  writeFileSync(folder.join("f"), "KEPT\n")
  const env = { PATH: "/usr/bin:/bin", TOKEN: "KEPT", LC_ALL: "C" }
  let ran = 0
  fc.assert(
    fc.property(programs, (program) => {
      if (!onlyReckons(program)) return
      ran++
      const { stdout, stderr } = Bun.spawnSync([awk, program, "input"], {
        cwd: folder.path,
        env,
        stdin: "ignore",
        timeout: 2000,
        maxBuffer: 100_000,
      })
      expect([program, `${stdout}${stderr}`.includes("KEPT")]).toEqual([program, false])
      expect([program, readdirSync(folder.path).toSorted()]).toEqual([program, ["f", "input"]])
      expect(readFileSync(folder.join("f"), "utf8")).toBe("KEPT\n")
    }),
    { ...runs(1500), seed: 5 },
  )
  expect(ran).toBeGreaterThan(200)
}
