/** The frame around every page. */
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { Glyph } from "../ui/glyph.js";
import { AccountMenu } from "./account-menu.js";
import { ConnectionMark } from "./connection-mark.js";
import { Toasts } from "../ui/toasts.js";
import { SessionGate } from "./session-gate.js";
import { useRefusal } from "./session.js";
import { Shortcuts } from "./shortcuts.js";
import { ThemeButton } from "./theme-button.js";

export function Shell() {
  return (
    <SessionGate>
      <Frame />
      <Toasts />
      <Shortcuts />
    </SessionGate>
  );
}

function Frame() {
  const isAdmin = useRefusal("admin") === null;
  const page = useLocation({ select: ({ pathname }) => pathname });
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    const here = nav.current?.querySelector('[aria-current="page"]');
    here?.scrollIntoView({ inline: "nearest", block: "nearest" }); // a narrow screen does not show all of them
  }, [page]);
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
        <nav ref={nav} className="nav" aria-label="Pages">
          <Link to="/runs" search={{}} activeOptions={{ includeSearch: false }}>
            Runs
          </Link>
          <Link to="/workflows">Workflows</Link>
          <Link to="/queue" search={{}} activeOptions={{ includeSearch: false }}>
            Queue
          </Link>
          <Link to="/workers">Workers</Link>
          <Link to="/health">Health</Link>
          {isAdmin && <Link to="/admin">Admin</Link>}
        </nav>
        <ConnectionMark />
        <ThemeButton />
        <AccountMenu />
      </header>
      <main id="page" className="page" tabIndex={-1}>
        <Outlet />
      </main>
    </div>
  );
}
