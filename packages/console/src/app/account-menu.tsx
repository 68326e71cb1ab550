import { Menu } from "@base-ui/react/menu";
import { buttonClass } from "../ui/button.js";
import { Icon } from "../ui/icon.js";
import { logOut, useMe } from "../api/session.js";

export function AccountMenu() {
  const { data } = useMe();
  if (data === undefined) return null;
  return (
    <Menu.Root>
      <Menu.Trigger className={buttonClass({ variant: "plain" })} aria-label={`${data.name}, ${data.role}`}>
        <Icon name="person" />
        <span className="wide-only">{data.name}</span>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="end">
          <Menu.Popup className="popup">
            <p className="menu-note">
              Signed in as <b>{data.name}</b>, role <b>{data.role}</b>, tenant <b>{data.tenantId}</b>
            </p>
            <Menu.Item className="menu-item" onClick={() => void logOut()}>
              Log out
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
