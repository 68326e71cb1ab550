/**
 * Verdicts on signals in SQL (G1, P9): `verdictRefusal` of `@runledger/core/store`. Only a batch with a verdict has these
 * clauses; all other batches read no more than before.
 */
export interface VerdictClauses {
  /** Columns of an incoming event, read from its part `p`. */
  readonly columns: string;
  /** Parts whose run has changed since. */
  readonly changed: string;
  readonly join: string;
  readonly isChanged: string;
  /** The refusal of the row `c`. The time is the same for all events of a part: they are stored together (P1). */
  readonly refusal: string;
}

export const withoutVerdicts: VerdictClauses = {
  columns: "",
  changed: "",
  join: "",
  isChanged: "",
  refusal: "c.VERDICT",
};

export const withVerdicts: VerdictClauses = {
  columns: `
    p.VALUE:part.judgedAt.seq::NUMBER AS JUDGED_SEQ, p.VALUE:part.judgedAt.stepId::STRING AS JUDGED_STEP,
    p.VALUE:part.judgedAt.notBefore::TIMESTAMP_NTZ AS NOT_BEFORE,`,
  changed: `
CHANGED AS (
  SELECT DISTINCT i.PART
  FROM RUN_EVENTS l JOIN INCOMING i ON i.RUN_ID = l.RUN_ID AND l.RUN_SEQ > i.JUDGED_SEQ
  WHERE l.STEP_ID IS NULL OR l.STEP_ID = i.JUDGED_STEP
),`,
  join: `
  LEFT JOIN CHANGED g ON g.PART = i.PART`,
  isChanged: `
      WHEN g.PART IS NOT NULL THEN 'SEQ_MISMATCH'`,
  refusal: `COALESCE(c.VERDICT, CASE
        WHEN c.NOT_BEFORE > MIN(c.PERSISTED_AT) OVER (PARTITION BY c.PART) THEN 'SIGNAL_LIMIT'
      END)`,
};
