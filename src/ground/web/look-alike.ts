/** Host names with letters that look like others. */

import { lazily } from "#lib/lazily.ts"

/** A warning about a name with look-alike letters; undefined when it is plain. */
export function lookAlikeNote(host: string): string | undefined {
  if (!host.includes("xn--")) return undefined
  // Loaded here: such names are rare, and the module takes a megabyte.
  const written = process.getBuiltinModule("node:url").domainToUnicode(host)
  if (written === "" || written === host) return `the name ${host} stands for letters that cannot be shown`
  const plain = [...written].map((letter) => twins().get(letter) ?? letter).join("")
  const isTwin = plain !== written && /^[a-z0-9._-]+$/.test(plain)
  if (isTwin) return `it looks like ${plain} but is another site, ${host}`
  if (mixed().test(written)) return `its name mixes alphabets (${written}); it is ${host}`
  return `its name is written ${written}`
}

/** Latin letters next to those of an alphabet that resembles them, within one label. */
const mixed = lazily(
  () =>
    /\p{Script=Latin}[^.]*[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]|[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}][^.]*\p{Script=Latin}/u,
)

/** Letters of other alphabets that most fonts draw like a Latin one. */
const twins = lazily(
  (): ReadonlyMap<string, string> =>
    new Map(
      Object.entries({
        a: "аɑα",
        b: "Ьƅ",
        c: "сϲ",
        d: "ԁɗ",
        e: "еҽ",
        g: "ɡց",
        h: "һհ",
        i: "іıɩι",
        j: "јϳ",
        k: "κк",
        l: "ӏⅼ",
        m: "м",
        n: "пո",
        o: "оοօ",
        p: "рρ",
        q: "ԛզ",
        r: "г",
        s: "ѕʂ",
        t: "т",
        u: "υս",
        v: "νѵ",
        w: "ԝω",
        x: "хҳ",
        y: "уүγ",
        z: "ʐ",
      }).flatMap(([plain, letters]) => [...letters].map((letter) => [letter, plain] as const)),
    ),
)
