-- oldest-code: 11
-- Finds the runs that finished in a period, for queries of operators and analysts. It has one entry per run, because an
-- index of every event would make each append slower (A3).
CREATE INDEX run_events_ends ON runledger.run_events (event_type, persisted_at)
  WHERE event_type IN ('RunCompleted', 'RunFailed', 'RunCancelled');
