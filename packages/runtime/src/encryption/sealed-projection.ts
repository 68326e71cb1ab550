/** Headers and steps with encrypted payloads. Their other fields stay readable, because stores search and count by them. */
import {
  maskError,
  maskOpened,
  maskReason,
  SEALED,
  type Json,
  type Mask,
  type Projection,
  type RunError,
  type RunHeader,
  type RunSnapshot,
  type StepRow,
  type StepSnapshot,
} from "@runledger/contracts";
import { encryptedMask, type OpenText } from "./sealed-event.js";
import type { Place, Sealer } from "./sealer.js";

const CONCEALED = encryptedMask("");

const headerPlace = (runId: string): Place => ["run", runId];
const stepPlace = (runId: string, stepId: string): Place => ["step", runId, stepId];

export function sealHeader(sealer: Sealer, header: RunHeader, tenantId: string): RunHeader {
  const masked = headerMask(header, encryptedMask(sealer.keyIdOf(tenantId)));
  return seal(header, masked, (text) => sealer.sealText(text, tenantId, headerPlace(header.runId)));
}

export function openHeader<H extends RunHeader>(open: OpenText, header: H): H {
  return unseal(header, (sealed) => open(sealed, headerPlace(header.runId)));
}

/** Hides payloads, whether they are encrypted or not. */
export function concealHeader<H extends RunHeader>(header: H): H {
  const shown = unseal(header, () => null);
  return shown === header ? { ...header, ...headerMask(header, CONCEALED) } : shown;
}

export function sealStep(sealer: Sealer, runId: string, step: StepRow, tenantId: string): StepRow {
  const masked = stepMask(step, encryptedMask(sealer.keyIdOf(tenantId)));
  return seal(step, masked, (text) => sealer.sealText(text, tenantId, stepPlace(runId, step.stepId)));
}

export function openStep<S extends StepSnapshot>(open: OpenText, runId: string, step: S): S {
  return unseal(step, (sealed) => open(sealed, stepPlace(runId, step.stepId)));
}

export function concealStep<S extends StepSnapshot>(step: S): S {
  const shown = unseal(step, () => null);
  return shown === step ? { ...step, ...stepMask(step, CONCEALED) } : shown;
}

/** How a reader sees headers and steps. */
export interface ProjectionView {
  readonly header: <H extends RunHeader>(header: H) => H;
  readonly step: <S extends StepSnapshot>(runId: string, step: S) => S;
}

export function viewProjection(view: ProjectionView, projection: Projection): Projection {
  const { header, steps } = projection;
  return { ...projection, header: view.header(header), steps: steps.map((step) => view.step(header.runId, step)) };
}

export function viewSnapshot(view: ProjectionView, snapshot: RunSnapshot): RunSnapshot {
  const { steps, ...header } = snapshot;
  return { ...view.header(header), steps: steps.map((step) => view.step(snapshot.runId, step)) };
}

export function maskRunError(error: RunError, mask: Mask): RunError {
  return maskError({ ...error }, mask) as unknown as RunError;
}

/** The replaced fields of a header. */
function headerMask({ state, output, error, erased }: RunHeader, mask: Mask): object {
  if (erased !== undefined) return {}; // nothing is left to protect
  return {
    ...(state !== undefined && { state: mask.json }),
    ...(output !== undefined && { output: mask.json }),
    ...(error !== undefined && { error: maskRunError(error, mask) }),
  };
}

function stepMask({ error, reason, opened }: StepSnapshot, mask: Mask): object {
  const shownReason = reason === undefined ? reason : maskReason(reason, mask);
  const shownOpened = opened === undefined ? opened : maskOpened(opened as Json, mask);
  return {
    ...(error !== undefined && { error: maskRunError(error, mask) }),
    ...(shownReason !== reason && { reason: shownReason }),
    ...(shownOpened !== opened && { opened: shownOpened }),
  };
}

/** Seals the originals of the replaced fields. */
function seal<T extends object>(record: T, masked: object, sealText: (text: string) => string): T {
  const names = Object.keys(masked);
  if (names.length === 0) return record;
  const originals = Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name)));
  return { ...record, ...masked, [SEALED]: sealText(JSON.stringify(originals)) };
}

function unseal<T extends object>(record: T, openText: (sealed: string) => string | null): T {
  const { [SEALED]: sealed, ...rest } = record as T & { readonly [SEALED]?: string };
  if (sealed === undefined) return record;
  const text = openText(sealed);
  return { ...rest, ...(text === null ? {} : (JSON.parse(text) as object)) } as unknown as T;
}
