import { ActionIcon, Tooltip } from '@mantine/core';
import { useMemo, useState, type ReactNode } from 'react';
import { CopyButton } from './copy-button';
import { Icon } from './icon';
import classes from './json-view.module.css';

interface JsonViewProps {
  /** Text as it came, or a value. */
  value: unknown;
  /** What it is: "Response body". */
  name: string;
  /** In place of nothing. */
  emptyText?: string;
}

/** A body, as text alone; JSON with its lines broken. The clipboard gets it as it came. */
export function JsonView({ value, name, emptyText = 'Empty' }: JsonViewProps): ReactNode {
  const [isWrapped, setWrapped] = useState(true);
  const raw = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const shown = useMemo(() => prettyPrint(raw), [raw]);
  const toggle = isWrapped ? 'Do not wrap lines' : 'Wrap lines';
  return (
    <section className={classes.box} aria-label={name}>
      <div className={classes.bar}>
        <span className={classes.name}>{name}</span>
        <Tooltip label={toggle}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={toggle}
            aria-pressed={isWrapped}
            onClick={() => setWrapped(!isWrapped)}
          >
            <Icon name="wrap" size={14} />
          </ActionIcon>
        </Tooltip>
        <CopyButton value={raw ?? ''} name={name.toLowerCase()} />
      </div>
      {/* What scrolls must be reachable with the keyboard. */}
      <pre className={`${classes.text} ${isWrapped ? classes.wrapped : ''}`} tabIndex={0}>
        {shown ? <bdi>{shown}</bdi> : <span className={classes.empty}>{emptyText}</span>}
      </pre>
    </section>
  );
}

/** The same with one member a line when it is a JSON object or list, else as it is. */
export function prettyPrint(text: string | undefined): string {
  if (!text || !/^\s*[[{]/.test(text)) return text ?? '';
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
