/** The event log of a run. It loads the pages that are visible, so it works for logs of any length. */
import type { RunEvent } from "@runledger/client";
import { useQueries } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import { client } from "../api/client.js";
import { exactTime } from "../ui/format.js";
import { moveByArrow } from "../ui/arrow-keys.js";
import { eventTone } from "./event-tone.js";
import { readEvents, type EventRange } from "./model/read-events.js";
import type { RunView } from "./model/view.js";
import type { RunSearch, RunSearchChange } from "./search.js";

interface EventListProps {
  readonly runId: string;
  readonly view: RunView;
  readonly search: RunSearch;
  readonly onChange: (part: RunSearchChange) => void;
}

const ROW_HEIGHT = 26;
const PAGE = 200;

export function EventList({ runId, view, search, onChange }: EventListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: view.seq,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
  });
  const items = virtual.getVirtualItems();
  const selected = search.event;
  useEffect(() => {
    if (selected !== undefined) virtual.scrollToIndex(selected - 1, { align: "auto" });
  }, []); // scrolls to the event of a link, once; afterwards the user scrolls
  const [focused, setFocused] = useState<number | null>(null);
  const isShown = (index: number | undefined | null): boolean => items.some((item) => item.index === index);
  const tabStop = [focused, (selected ?? 0) - 1].find(isShown) ?? items[0]?.index;
  const pages = [...new Set(items.map(({ index }) => Math.floor(index / PAGE)))];
  const { events, isLoaded } = useEvents(runId, pages, view.headSeq);
  return (
    <div className="events">
      <div className="event-row head" aria-hidden="true">
        <span>Seq</span>
        <span>Time</span>
        <span>Event</span>
        <span>Step</span>
        <span />
      </div>
      <div className="event-scroll" ref={scroller} onKeyDown={moveByArrow}>
        <div role="listbox" aria-label="Events" className="event-body" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start }) => (
            <EventRow
              key={index}
              seq={index + 1}
              top={start}
              event={events.get(index + 1)}
              isUnused={isLoaded(index) && !events.has(index + 1)}
              isSelected={selected === index + 1}
              isTabStop={index === tabStop}
              onFocus={() => setFocused(index)}
              onSelect={(event) => onChange({ event: index + 1, step: event?.stepId })}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

interface ListedEvents {
  readonly events: ReadonlyMap<number, RunEvent>;
  /** Whether the page of a row is loaded. A number without an event then stays unused (P10). */
  isLoaded(index: number): boolean;
}

/** A full page never changes. The last page changes while the run is live. */
function useEvents(runId: string, pages: readonly number[], headSeq: number): ListedEvents {
  return useQueries({
    queries: pages.map((page) => {
      const isFull = (page + 1) * PAGE <= headSeq;
      return {
        queryKey: ["events", runId, page, isFull ? "full" : headSeq],
        queryFn: () => readEvents(client, runId, { after: page * PAGE, limit: PAGE }),
        staleTime: Infinity,
        placeholderData: (known: EventRange | undefined) => known,
      };
    }),
    combine: (results) => {
      const read = results.flatMap(({ data }) => data?.events ?? []);
      const loaded = new Set(
        pages.filter((_, index) => results[index]?.isSuccess === true && !results[index].isPlaceholderData),
      );
      return {
        events: new Map(read.map((event) => [event.runSeq, event] as const)),
        isLoaded: (index) => loaded.has(Math.floor(index / PAGE)),
      };
    },
  });
}

interface EventRowProps {
  readonly seq: number;
  readonly top: number;
  readonly event: RunEvent | undefined;
  readonly isUnused: boolean;
  readonly isSelected: boolean;
  readonly isTabStop: boolean;
  readonly onFocus: () => void;
  readonly onSelect: (event: RunEvent | undefined) => void;
}

function EventRow({ seq, top, event, isUnused, isSelected, isTabStop, onFocus, onSelect }: EventRowProps) {
  return (
    <div
      role="option"
      aria-selected={isSelected}
      tabIndex={isTabStop ? 0 : -1}
      onFocus={onFocus}
      data-row
      className="event-row"
      data-seq={seq}
      style={{ translate: `0 ${top}px` }}
      onClick={() => onSelect(event)}
      onKeyDown={({ key }) => key === "Enter" && onSelect(event)}
    >
      <span className="quiet seq">{seq}</span>
      <span className="quiet">{event === undefined ? "" : exactTime(event.emittedAt)}</span>
      <span className={event === undefined ? "quiet" : `tone-${eventTone(event.eventType)}`}>
        {event?.eventType ?? (isUnused ? "unused number" : "…")}
      </span>
      <span className="cut">{event?.stepId}</span>
      <span className="quiet cut">{event === undefined ? "" : noteOf(event)}</span>
    </div>
  );
}

function noteOf({ eventData, logicalAttemptId, stepId }: RunEvent): string {
  const data = (eventData ?? {}) as {
    error?: { code?: string; message?: string };
    reason?: string;
    name?: string;
    by?: string;
  };
  const parts = [
    stepId !== undefined && logicalAttemptId !== "1" && logicalAttemptId !== undefined
      ? `attempt ${logicalAttemptId}`
      : null,
    data.error === undefined ? null : `${data.error.code ?? ""} ${data.error.message?.split("\n")[0] ?? ""}`,
    data.name ?? null,
    data.by === undefined ? null : `by ${data.by}`,
    data.reason ?? null,
  ];
  return parts.filter((part) => part !== null).join(" · ");
}
