import type { ReactNode } from 'react';
import classes from './property-list.module.css';

/** Names and values, side by side where there is room: `<Facts of={{ State: <StatusBadge …/>, … }} />`. */
export function PropertyList({ items }: { items: Record<string, ReactNode> }): ReactNode {
  return (
    <dl className={classes.facts}>
      {Object.entries(items).map(([name, value]) => (
        <div key={name} className={classes.fact}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
