import { useState } from "react";
import { Button } from "../ui/button.js";
import { Icon } from "../ui/icon.js";
import { chooseTheme, currentTheme } from "./theme.js";

export function ThemeButton() {
  const [theme, setTheme] = useState(currentTheme);
  const other = theme === "dark" ? "light" : "dark";
  return (
    <Button
      variant="plain"
      aria-label={`Switch to ${other} theme`}
      title={`Switch to ${other} theme`}
      onClick={() => {
        chooseTheme(other);
        setTheme(other);
      }}
    >
      <Icon name={theme === "dark" ? "sun" : "moon"} />
    </Button>
  );
}
