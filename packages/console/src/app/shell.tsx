/** The navigation bar and frame of every page. */
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { useEffect, useRef, type MouseEvent } from "react";
import { Icon } from "../ui/icon.js";
import { AccountMenu } from "./account-menu.js";
import { ConnectionMark } from "./connection-mark.js";
import { Toasts } from "../ui/toasts.js";
import { SessionGate } from "./session-gate.js";
import { useRefusal } from "../api/session.js";
import { lastRunsSearch } from "../runs/kept-lists.js";
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
    showCurrent(nav.current);
  }, [page]);
  return (
    <div className="shell">
      <header className="topbar">
        <a className="skip-link" href="#page" onClick={skip}>
          Skip to content
        </a>
        <Link to="/runs" search={{}} className="brand" aria-label="Runledger">
          <Icon name="ledger" size={18} />
          <span>Runledger</span>
        </Link>
        <nav ref={nav} className="nav" aria-label="Pages">
          <Link to="/runs" search={page === "/runs" ? {} : lastRunsSearch()} activeOptions={{ includeSearch: false }}>
            Runs
          </Link>
          <Link to="/workflows">Workflows</Link>
          <Link to="/queue" search={{}} activeOptions={{ includeSearch: false }}>
            Queue
          </Link>
          <Link to="/workers">Workers</Link>
          <Link to="/outbox">Outbox</Link>
          <Link to="/triggers">Triggers</Link>
          <Link to="/datasets" search={{}} activeOptions={{ includeSearch: false }}>
            Datasets
          </Link>
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

/** Moves the focus without a change of the address, which would render the page again. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  document.querySelector<HTMLElement>("#page")?.focus();
}

/**
 * Scrolls to the link of the current page, because a narrow screen does not show all links. `scrollIntoView` would also
 * move the place where the Tab key continues, and so bypass the skip link.
 */
function showCurrent(nav: HTMLElement | null): void {
  const link = nav?.querySelector('[aria-current="page"]')?.getBoundingClientRect();
  if (nav === null || link === undefined) return;
  const { left, right } = nav.getBoundingClientRect();
  nav.scrollLeft += Math.max(0, link.right - right) + Math.min(0, link.left - left);
}
