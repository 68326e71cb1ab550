-- oldest-code: 1
-- Finds the scheduled times of unfinished runs, no matter how many times have passed.
CREATE INDEX schedule_ticks_of_run ON runledger.schedule_ticks (run_id);
