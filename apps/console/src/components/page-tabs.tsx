import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import classes from './page-tabs.module.css';

interface PageTab {
  label: string;
  panel: () => ReactNode;
}

interface PageTabsProps {
  label: string;
  tabs: Record<string, PageTab>;
  /**
   * URL parameters that apply to all tabs. The remaining ones belong to one tab and are removed when another tab is
   * opened.
   */
  sharedParameters?: string[];
}

/** Renders a page's tabs. The open tab is stored in the URL (`?tab=`); the first tab is the default. */
export function PageTabs({ label, tabs, sharedParameters = [] }: PageTabsProps): ReactNode {
  const [search, setSearch] = useSearchParams();
  const [first = ''] = Object.keys(tabs);
  const requestedTab = search.get('tab') ?? first;
  const openTab = Object.hasOwn(tabs, requestedTab) ? requestedTab : first;
  return (
    <Tabs
      value={openTab}
      onChange={(tab) =>
        setSearch((before) => {
          const after = [...before].filter(([name]) => sharedParameters.includes(name));
          return tab === null || tab === first ? after : [...after, ['tab', tab]];
        })
      }
      keepMounted={false}
    >
      <Tabs.List aria-label={label} className={classes.list}>
        {Object.entries(tabs).map(([name, tab]) => (
          <Tabs.Tab key={name} value={name} className={classes.tab}>
            {tab.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {Object.entries(tabs).map(([name, tab]) => (
        <Tabs.Panel key={name} value={name}>
          {name === openTab && tab.panel()}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
