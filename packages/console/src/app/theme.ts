/** The theme follows the system unless the user has chosen one. */
const KEY = "runledger-theme";

export type Theme = "light" | "dark";

function chosen(): Theme | null {
  const theme = localStorage.getItem(KEY);
  return theme === "light" || theme === "dark" ? theme : null;
}

export function currentTheme(): Theme {
  return chosen() ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

export function applyTheme(): void {
  const theme = chosen();
  if (theme !== null) document.documentElement.dataset["theme"] = theme;
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  applyTheme();
}
