/** Mutants of the sandbox's policies. S with one digit: survivors of a review. */

import { type Mutant, mutant } from "./mutant.ts"

const policy = "unit/kits/sandbox/policy-of.test.ts"
const acting = "unit/kits/sandbox/acting-parts.test.ts"

export const sandbox: readonly Mutant[] = [
  mutant("S4", "kits/sandbox/policy-of.ts", "return [...tops, ...own].filter", "return tops.filter", policy),
  mutant(
    "S7",
    "kits/sandbox/read-only-lines.ts",
    "const home = liesInOne(disk.real(place.home), writable) ? heldAtHome(place.home, disk) : []",
    "const home = liesInOne(place.home, writable) ? heldAtHome(place.home, disk) : []",
    policy,
  ),

  mutant(
    "S101",
    "kits/sandbox/policy-of.ts",
    'workspace: facts.mode === "plan" ? reader : workspace,',
    "workspace,",
    policy,
  ),
  mutant(
    "S102",
    "kits/sandbox/policy-of.ts",
    "withoutVariables: { names: [], except: [] }, credentials: [] }",
    "}",
    policy,
  ),
  mutant(
    "S103",
    "kits/sandbox/policy-of.ts",
    "[...asked, ...git].filter(({ path }) => !liesInOne(path, refused))",
    "[...asked, ...git]",
    policy,
  ),
  mutant(
    "S104",
    "kits/sandbox/policy-of.ts",
    "const writes = wanted.filter((line) => !isHeld(line))",
    "const writes = wanted",
    policy,
  ),
  mutant(
    "S105",
    "kits/sandbox/policy-of.ts",
    "isThere(path) && !liesInOne(path, pathsOf(hidden))",
    "isThere(path)",
    policy,
  ),
  mutant(
    "S106",
    "kits/sandbox/policy-of.ts",
    'network: { mode: "off", because: "a command that only reads needs no network" },',
    "network: networkOf({ ...facts, unixSockets }).network,",
    `${policy} unit/kits/sandbox/reader.test.ts`,
  ),
  mutant(
    "S107",
    "kits/sandbox/read-only-lines.ts",
    "if (top === undefined || real === top) return []",
    "if (top === undefined) return []",
    policy,
  ),
  mutant("S108", "kits/sandbox/read-only-lines.ts", "const path = missing ?? real", "const path = real", policy),
  mutant(
    "S109",
    "kits/sandbox/read-only-lines.ts",
    "return lines.filter((line) => !allowed.some(({ path }) => path === line.path))",
    "return lines.filter((line) => !allowed.some(({ path }) => liesIn(line.path, path)))",
    policy,
  ),
  mutant(
    "S110",
    "kits/sandbox/read-only-lines.ts",
    "each.length === name.length && each.toLowerCase() === name",
    "each === name",
    policy,
  ),
  mutant(
    "S111",
    "kits/sandbox/git-folders.ts",
    "if (at === undefined || disk.isLink(at)) return []",
    "if (at === undefined) return []",
    policy,
  ),
  mutant("S112", "kits/sandbox/git-folders.ts", ".filter((folder) => belongs(at, folder, disk))", "", policy),
  mutant("S113", "kits/sandbox/git-folders.ts", "if (made.has(folder)) return []", "", policy),
  mutant(
    "S114",
    "kits/sandbox/git-folders.ts",
    '...modulesIn(inside("modules"), disk).flatMap((module) => heldOfFolder(module, disk, made)),',
    "",
    policy,
  ),
  mutant("S115", "kits/sandbox/hidden.ts", "!isDenied(path) &&\n", "", policy),
  mutant(
    "S116",
    "kits/sandbox/hidden.ts",
    "const hidden = distinct([...ruled, ...denied, ...usual, ...around])",
    "const hidden = distinct([...denied, ...usual, ...around])",
    policy,
  ),
  mutant(
    "S117",
    "kits/sandbox/hidden.ts",
    'real.filter((path) => rule.access === "write" || !isTooWide(path))',
    "real",
    policy,
  ),
  mutant(
    "S118",
    "kits/sandbox/judged-policy.ts",
    "if (before?.reader === parts.reader) return before.policy",
    "if (before) return before.policy",
    "unit/kits/sandbox/judged-policy.test.ts",
  ),
  mutant(
    "S119",
    "kits/sandbox/judged-policy.ts",
    'writes.filter((path) => !liesIn(path, "/dev")).map(disk.real)',
    "writes.map(disk.real)",
    "unit/kits/sandbox/judged-policy.test.ts",
  ),
  mutant(
    "S120",
    "kits/sandbox/acting-parts.ts",
    "if (!isOld(target) || pointsBack(path, target, disk)) return []",
    "if (!isOld(target)) return []",
    acting,
  ),
  mutant(
    "S121",
    "kits/sandbox/acting-parts.ts",
    'entry?.kind === "link" || (entry?.kind === "file" && entry.isExecutable)',
    'entry?.kind === "file" && entry.isExecutable',
    acting,
  ),
  mutant(
    "S122",
    "kits/sandbox/acting-parts.ts",
    "isWorktree || shared === folder ? []",
    "shared === folder ? []",
    acting,
  ),
]
