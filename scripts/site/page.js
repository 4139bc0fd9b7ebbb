/** What a page does by itself: search, copy buttons, the menu on a phone, the switch between light and dark. */

const up = document.body.dataset.up ?? "."
const element = (tag, className, text) => {
  const made = document.createElement(tag)
  if (className) made.className = className
  if (text !== undefined) made.textContent = text
  return made
}

// Light and dark

const theme = document.getElementById("theme")
const isDark = () =>
  (document.documentElement.dataset.theme ??
    (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark"
theme?.addEventListener("click", () => {
  const next = isDark() ? "light" : "dark"
  document.documentElement.dataset.theme = next
  try {
    localStorage.setItem("theme", next)
  } catch {
    // It lasts until the next page then.
  }
})

// The menu on a phone

const menu = document.getElementById("menu")
const openMenu = (isOpen) => {
  document.body.classList.toggle("menu", isOpen)
  menu?.setAttribute("aria-expanded", String(isOpen))
}
menu?.addEventListener("click", () => openMenu(!document.body.classList.contains("menu")))
document.querySelector("#contents [aria-current]")?.scrollIntoView({ block: "nearest" })

// Copy buttons

for (const figure of document.querySelectorAll("figure.code:not(.output)")) {
  const button = element("button", "copy", "Copy")
  button.type = "button"
  button.addEventListener("click", async () => {
    const text = figure.querySelector("code")?.textContent?.trimEnd() ?? ""
    try {
      await navigator.clipboard.writeText(text)
      button.textContent = "Copied"
    } catch {
      getSelection()?.selectAllChildren(figure.querySelector("code"))
      button.textContent = "Selected"
    }
    setTimeout(() => (button.textContent = "Copy"), 1600)
  })
  figure.append(button)
}

// Where you are on the page

const marks = new Map([...document.querySelectorAll("aside a")].map((link) => [link.hash.slice(1), link]))
const headings = [...marks.keys()].map((id) => document.getElementById(id)).filter(Boolean)
const markPlace = () => {
  const here = headings.findLast((heading) => heading.getBoundingClientRect().top < 120) ?? headings[0]
  for (const [id, link] of marks) link.classList.toggle("here", id === here?.id)
}
if (headings.length > 0) {
  addEventListener("scroll", markPlace, { passive: true })
  markPlace()
}

// Search

const field = document.getElementById("search")
const results = document.getElementById("results")
const most = 12
let chosen = 0

const sections = (globalThis.searchIndex ?? []).map(([address, id, page, title, text]) => ({
  address,
  id,
  page,
  title,
  text,
  lowPage: page.toLowerCase(),
  lowTitle: title.toLowerCase(),
  lowText: text.toLowerCase(),
}))

/** Other forms of a word are found too: proxy and proxies, test and testing. */
const rootOf = (word) => word.replace(/(?<=\w{4})(?:ies|ing|ed|es|s|y)$/, "")

/** Every word must occur; a word in a title counts more than one in the text, and a whole word more than a part. */
function score(section, words) {
  let sum = 0
  for (const word of words) {
    const inTitle = section.lowTitle.includes(word) ? 12 : 0
    const inPage = section.lowPage.includes(word) ? 6 : 0
    const at = section.lowText.indexOf(word)
    const inText = at < 0 ? 0 : 2 + (isWordAt(section.lowText, at, word.length) ? 2 : 0)
    if (inTitle + inPage + inText === 0) return 0
    sum += inTitle + inPage + inText
  }
  const isTitle = words.length === 1 && rootOf(section.lowTitle) === words[0] ? 10 : 0
  const isReference = section.address.startsWith("reference/") ? 0.5 : 1
  return (sum + isTitle) * isReference
}

const isWordAt = (text, at, length) => !/\w/.test(text[at - 1] ?? " ") && !/\w/.test(text[at + length] ?? " ")

function showResults() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean).map(rootOf)
  const found =
    words.length === 0
      ? []
      : sections
          .map((section) => ({ section, points: score(section, words) }))
          .filter(({ points }) => points > 0)
          .toSorted((a, b) => b.points - a.points)
          .slice(0, most)
  chosen = 0
  results.replaceChildren(
    ...(found.length > 0
      ? found.map(({ section }, at) => resultOf(section, words, at))
      : words.length > 0
        ? [element("p", "none", "Nothing found.")]
        : []),
  )
  results.hidden = words.length === 0
  field.setAttribute("aria-expanded", String(!results.hidden))
  markChosen()
}

function resultOf(section, words, at) {
  const link = element("a")
  link.href = `${up}/${section.address}#${section.id}`
  link.setAttribute("role", "option")
  link.id = `result-${at}`
  const head = element("strong", "", section.title)
  link.append(head)
  if (section.page !== section.title) link.append(element("span", "page", section.page))
  const near = element("p")
  near.append(...excerpt(section, words))
  link.append(near)
  return link
}

function excerpt({ text, lowText }, words) {
  const first = Math.max(
    0,
    Math.min(...words.map((word) => lowText.indexOf(word)).filter((at) => at >= 0), text.length),
  )
  const from = first > 60 ? text.indexOf(" ", first - 50) + 1 : 0
  const shown = text.slice(from, from + 140).replace(from + 140 < text.length ? /\s\S*$/ : /$^/, "")
  const pattern = new RegExp(`((?:${words.map((word) => word.replaceAll(/[^\w\s]/g, "\\$&")).join("|")})\\w*)`, "gi")
  const pieces = shown.split(pattern).map((piece, at) => (at % 2 === 1 ? element("mark", "", piece) : piece))
  return [from > 0 ? "… " : "", ...pieces, from + 140 < text.length ? " …" : ""]
}

function markChosen() {
  const links = [...results.querySelectorAll("a")]
  for (const [at, link] of links.entries()) link.setAttribute("aria-selected", String(at === chosen))
  links[chosen]?.scrollIntoView({ block: "nearest" })
  if (links[chosen]) field.setAttribute("aria-activedescendant", links[chosen].id)
  else field.removeAttribute("aria-activedescendant")
}

field?.addEventListener("input", showResults)
field?.addEventListener("focus", () => field.value !== "" && showResults())
field?.addEventListener("keydown", (event) => {
  const links = [...results.querySelectorAll("a")]
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault()
    chosen = (chosen + (event.key === "ArrowDown" ? 1 : links.length - 1)) % Math.max(1, links.length)
    markChosen()
  } else if (event.key === "Enter") links[chosen]?.click()
  else if (event.key === "Escape") {
    field.value = ""
    showResults()
    field.blur()
  }
})
document.addEventListener("click", (event) => {
  if (!event.target.closest(".search")) {
    results.hidden = true
    field.setAttribute("aria-expanded", "false")
  } else if (event.target.closest("#results a")) results.hidden = true
})
document.addEventListener("keydown", (event) => {
  const isTyping = /^(?:INPUT|TEXTAREA)$/.test(document.activeElement?.tagName ?? "")
  if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault()
    field.focus()
  } else if (event.key === "Escape") openMenu(false)
})
