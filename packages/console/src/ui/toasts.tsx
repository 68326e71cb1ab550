import { Toast } from "@base-ui/react/toast";
import { ProblemError } from "@runledger/client";
import { Glyph } from "./glyph.js";

const manager = Toast.createToastManager();

/** Says that something was done. */
export function tell(title: string): void {
  manager.add({ title, type: "done" });
}

/** Says that something was refused, in the words of who refused it. */
export function tellFailure(error: unknown): void {
  const title =
    error instanceof ProblemError ? error.problem.detail : error instanceof Error ? error.message : String(error);
  manager.add({ title, type: "failed", priority: "high", timeout: 10_000 });
}

export function Toasts() {
  return (
    <Toast.Provider toastManager={manager}>
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast">
      <span className={toast.type === "failed" ? "tone-bad" : "tone-good"}>
        <Glyph name={toast.type === "failed" ? "failed" : "done"} />
      </span>
      <Toast.Title className="grow" />
      <Toast.Close className="button plain small" aria-label="Close">
        <Glyph name="close" size={12} />
      </Toast.Close>
    </Toast.Root>
  ));
}
