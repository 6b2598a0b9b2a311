import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { CopyButton } from './copy-button';
import classes from './id.module.css';

interface IdProps {
  id: string | null | undefined;
  /** Where it leads: "/deliveries/dlv_…". */
  to?: string;
  /** Only its end, where room is short: ids of one day begin alike. */
  short?: boolean;
  copy?: boolean;
}

/** The prefix and the last eight characters of an id. */
export function shortId(id: string): string {
  const prefix = /^[a-z]+_/.exec(id)?.[0] ?? '';
  return id.length - prefix.length > 12 ? `${prefix}…${id.slice(-8)}` : id;
}

/** An id to read, to copy and to follow. */
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
