/** Before anything is drawn: the theme that was chosen here last, if any. */
try {
  const chosen = localStorage.getItem("theme")
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen
} catch {
  // Without storage, the system decides.
}
