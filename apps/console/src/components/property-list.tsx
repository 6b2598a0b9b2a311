import type { ReactNode } from 'react';
import classes from './property-list.module.css';

/**
 * Renders names and values, side by side if there is space.
 * `<PropertyList items={{ Status: <StatusBadge …/>, … }} />`
 */
export function PropertyList({ items }: { items: Record<string, ReactNode> }): ReactNode {
  return (
    <dl className={classes.properties}>
      {Object.entries(items).map(([name, value]) => (
        <div key={name} className={classes.property}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
