import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { CopyButton } from './copy-button';
import classes from './id.module.css';

interface IdProps {
  id: string | null | undefined;
  /** The path that the ID links to: "/deliveries/dlv_…". */
  to?: string;
  /** Shows only the end of the ID, for narrow columns. IDs from the same day have the same beginning. */
  short?: boolean;
  copy?: boolean;
}

/** Returns an ID's prefix and last eight characters. */
export function shortId(id: string): string {
  const prefix = /^[a-z]+_/.exec(id)?.[0] ?? '';
  return id.length - prefix.length > 12 ? `${prefix}…${id.slice(-8)}` : id;
}

/** Renders an ID with a copy button, and as a link if `to` is set. */
export function Id({ id, to, short = false, copy = true }: IdProps): ReactNode {
  if (!id) return '–';
  const text = short ? shortId(id) : id;
  const className = short ? classes.text : classes.whole;
  return (
    <span className={classes.id} title={short ? id : undefined}>
      {to ? (
        <Anchor component={Link} to={to} inherit className={className}>
          {text}
        </Anchor>
      ) : (
        <span className={className}>{text}</span>
      )}
      {copy && <CopyButton value={id} name="ID" />}
    </span>
  );
}
