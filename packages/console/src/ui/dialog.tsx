import { Dialog as Base } from "@base-ui/react/dialog";
import type { ReactNode } from "react";

interface DialogProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly footer: ReactNode;
  /** Uses most of the window. */
  readonly isWide?: boolean;
  readonly onClose: () => void;
}

/** A modal dialog. It is open while it is mounted. */
export function Dialog({ title, children, footer, isWide = false, onClose }: DialogProps) {
  return (
    <Base.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className={isWide ? "dialog wide-dialog" : "dialog"}>
          <header>
            <Base.Title>{title}</Base.Title>
          </header>
          <div className="body">{children}</div>
          <footer>{footer}</footer>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
