import { Menu } from "@base-ui/react/menu";
import { Glyph } from "../ui/glyph.js";
import { logOut, useMe } from "./session.js";

export function AccountMenu() {
  const { data } = useMe();
  if (data === undefined) return null;
  return (
    <Menu.Root>
      <Menu.Trigger className="button plain" aria-label={`${data.name}, ${data.role}`}>
        <Glyph name="person" />
        <span className="wide-only">{data.name}</span>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="end">
          <Menu.Popup className="popup">
            <p className="menu-note">
              {data.name} is <b>{data.role}</b> of tenant <b>{data.tenantId}</b>
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
