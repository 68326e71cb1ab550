/** The frame around every page. */
import { Link, Outlet } from "@tanstack/react-router";
import { Glyph } from "../ui/glyph.js";
import { ConnectionMark } from "./connection-mark.js";
import { Toasts } from "../ui/toasts.js";
import { ThemeButton } from "./theme-button.js";

export function Shell() {
  return (
    <div className="shell">
      <header className="topbar">
        <a className="skip-link" href="#page">
          Skip to content
        </a>
        <Link to="/runs" search={{}} className="brand" aria-label="Runledger">
          <Glyph name="ledger" size={18} />
          <span>Runledger</span>
        </Link>
        <nav className="nav" aria-label="Pages">
          <Link to="/runs" search={{}} activeOptions={{ includeSearch: false }}>
            Runs
          </Link>
        </nav>
        <ConnectionMark />
        <ThemeButton />
      </header>
      <main id="page" className="page" tabIndex={-1}>
        <Outlet />
      </main>
      <Toasts />
    </div>
  );
}
