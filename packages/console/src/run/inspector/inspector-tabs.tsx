import { Tabs } from "@base-ui/react/tabs";
import type { ReactNode } from "react";

interface InspectorTab {
  readonly id: string;
  readonly title: string;
  readonly content: () => ReactNode;
}

interface InspectorTabsProps {
  readonly tabs: readonly InspectorTab[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
}

/** Shows the first tab if the chosen one does not exist. */
export function InspectorTabs({ tabs, chosen, onChoose }: InspectorTabsProps) {
  const first = tabs[0]!.id;
  const shown = tabs.some(({ id }) => id === chosen) ? chosen! : first;
  return (
    <Tabs.Root
      className="inspector-tabs"
      value={shown}
      onValueChange={(id: string) => onChoose(id === first ? undefined : id)}
    >
      <Tabs.List className="tabs" activateOnFocus>
        {tabs.map(({ id, title }) => (
          <Tabs.Tab key={id} value={id} className="tab">
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ id, content }) => (
        <Tabs.Panel key={id} value={id} className="inspector-panel">
          {id === shown && content()}
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  );
}
