import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import classes from './page-tabs.module.css';

interface PageTab {
  label: string;
  panel: () => ReactNode;
}

/** The parts of one record's page, with the open one in the URL (`?tab=`); the first one without a word there. */
export function PageTabs({ label, tabs }: { label: string; tabs: Record<string, PageTab> }): ReactNode {
  const [search, setSearch] = useSearchParams();
  const [first = ''] = Object.keys(tabs);
  const asked = search.get('tab') ?? first;
  const open = Object.hasOwn(tabs, asked) ? asked : first;
  return (
    <Tabs
      value={open}
      // The filters of one tab mean nothing in the next.
      onChange={(tab) => setSearch(tab === null || tab === first ? {} : { tab })}
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
          {name === open && tab.panel()}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
