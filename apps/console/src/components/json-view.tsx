import { ActionIcon, Tooltip } from '@mantine/core';
import { useMemo, useState, type ReactNode } from 'react';
import { CopyButton } from './copy-button';
import { Icon } from './icon';
import { VisibleText } from './untrusted-text';
import classes from './json-view.module.css';

interface JsonViewProps {
  /** A string as received, or a value to show as JSON. */
  value: unknown;
  /** The label: "Response body". */
  name: string;
  /** Shown if the body is empty. */
  emptyText?: string;
}

/**
 * Renders a body as plain text. JSON is formatted with line breaks. The copy button copies the unmodified
 * text.
 */
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
      {/* Scrollable content must be reachable with the keyboard. */}
      <pre className={`${classes.text} ${isWrapped ? classes.wrapped : ''}`} tabIndex={0}>
        {shown ? (
          <bdi>
            <VisibleText text={shown} />
          </bdi>
        ) : (
          <span className={classes.empty}>{emptyText}</span>
        )}
      </pre>
    </section>
  );
}

/** Returns a JSON object or array with one member per line, and any other string unchanged. */
export function prettyPrint(text: string | undefined): string {
  if (!text || !/^\s*[[{]/.test(text)) return text ?? '';
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
