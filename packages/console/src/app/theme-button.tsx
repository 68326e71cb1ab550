import { useState } from "react";
import { Glyph } from "../ui/glyph.js";
import { chooseTheme, currentTheme } from "./theme.js";

export function ThemeButton() {
  const [theme, setTheme] = useState(currentTheme);
  const other = theme === "dark" ? "light" : "dark";
  return (
    <button
      type="button"
      className="button plain"
      aria-label={`Use the ${other} theme`}
      title={`Use the ${other} theme`}
      onClick={() => {
        chooseTheme(other);
        setTheme(other);
      }}
    >
      <Glyph name={theme === "dark" ? "sun" : "moon"} />
    </button>
  );
}
