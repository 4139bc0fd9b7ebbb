/** Which notes a prompt is about: sections of notes that share its telling words, best first. */

export interface Note {
  readonly path: string
  readonly text: string
}

export interface NoteSection extends Note {
  /** Identifies the section among all notes. */
  readonly key: string
}

const mostSections = 4
const mostOfSection = 1_500
const leastShared = 2
const longestQuery = 200

/** At most a handful of sections, each cut to a bound. */
export function notesAbout(prompt: string, notes: readonly Note[]): readonly NoteSection[] {
  const wanted = new Set([...termsIn(prompt)].slice(0, longestQuery))
  if (wanted.size < leastShared) return []
  const sections = notes.flatMap(sectionsOf).map((section) => ({ ...section, terms: termsIn(section.text) }))
  const spread = (term: string): number => sections.filter(({ terms }) => terms.has(term)).length
  const weights = new Map([...wanted].map((term) => [term, Math.log(1 + sections.length / Math.max(1, spread(term)))]))
  return sections
    .flatMap(({ terms, ...section }, place) => {
      const shared = [...wanted].filter((term) => terms.has(term))
      // Long sections share words by chance.
      const score = shared.reduce((sum, term) => sum + (weights.get(term) ?? 0), 0) / Math.sqrt(8 + terms.size)
      return shared.length < leastShared ? [] : [{ section, score, place }]
    })
    .toSorted((a, b) => b.score - a.score || a.place - b.place)
    .slice(0, mostSections)
    .map(({ section }) => section)
}

function sectionsOf({ path, text }: Note): readonly NoteSection[] {
  return text
    .split(/^(?=#{1,3} )/m)
    .map((section) => section.trim())
    .filter((section) => section !== "")
    .map((section) => ({ path, key: `${path} ${(section.split("\n")[0] ?? "").slice(0, 80)}`, text: cut(section) }))
}

const cut = (text: string): string =>
  text.length <= mostOfSection
    ? text
    : `${text.slice(0, mostOfSection).toWellFormed()}\n[Cut here. Read the file for the rest.]`

/** Words that tell what a text is about, names also in their parts. */
function termsIn(text: string): ReadonlySet<string> {
  const words =
    text.match(/[\p{L}\p{N}_][\p{L}\p{N}_.-]*[\p{L}\p{N}_]|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/gu) ?? []
  const terms = words.flatMap((word) => [
    word,
    ...word
      .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
      .split(/[\s_.-]+/)
      .filter((part) => part !== word),
  ])
  return new Set(
    terms.map(stem).filter((term) => (term.length > 2 || /^[^\p{ASCII}]/u.test(term)) && !common.has(term)),
  )
}

const stem = (word: string): string => {
  const small = word.toLowerCase()
  return small.length > 4 && small.endsWith("s") && !small.endsWith("ss") ? small.slice(0, -1) : small
}

const common: ReadonlySet<string> = new Set(
  "the and for are was were this that with from have has had not but you your our its into can could should would will what when where which who how why all any add now new use used using make made change get set let run file code line please there then than them they also just only still does did done don't more most some such each other about after before over under between want need like".split(
    " ",
  ),
)
