import { Toast } from "@base-ui/react/toast";
import { ProblemError } from "@runledger/client";
import { buttonClass } from "./button.js";
import { Icon } from "./icon.js";

const manager = Toast.createToastManager();

/** Reports a success. */
export function toast(title: string): void {
  manager.add({ title, type: "done" });
}

/** Reports a failure with the message of the error. */
export function toastError(error: unknown): void {
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
  return toasts.map((shown) => (
    <Toast.Root key={shown.id} toast={shown} className="toast">
      <span className={shown.type === "failed" ? "tone-bad" : "tone-good"}>
        <Icon name={shown.type === "failed" ? "failed" : "done"} />
      </span>
      <Toast.Title className="grow" />
      <Toast.Close className={buttonClass({ variant: "plain", size: "small" })} aria-label="Close">
        <Icon name="close" size={12} />
      </Toast.Close>
    </Toast.Root>
  ));
}
