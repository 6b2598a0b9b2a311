import type { ReactNode } from 'react';
import classes from './status-badge.module.css';

export type Tone = 'good' | 'bad' | 'warn' | 'calm' | 'info';

/** A word with a colour; the word alone says it all. */
export function Badge({ tone, children }: { tone: Tone; children: ReactNode }): ReactNode {
  return <span className={`${classes.badge} ${classes[tone]}`}>{children}</span>;
}

/** The states of deliveries, endpoints, batches, operators and keys, with how good they are. */
const tones: Record<string, Tone> = {
  succeeded: 'good',
  failed: 'bad',
  pending: 'info',
  cancelled: 'calm',
  redelivered: 'good',
  discarded: 'calm',
  waiting: 'warn',
  resolved: 'good',
  enabled: 'good',
  active: 'good',
  disabled: 'bad',
  planned: 'calm',
  running: 'info',
  completed: 'good',
  finished: 'good',
  expired: 'calm',
  invited: 'info',
  archived: 'calm',
  revoked: 'calm',
  connected: 'good',
  unreachable: 'bad',
};

const statusLabel = (state: string): string =>
  state.charAt(0).toUpperCase() + state.slice(1).replaceAll('_', ' ');

/** A state by its name; what later versions add is shown too, in grey. */
export function StatusBadge({ state }: { state: string }): ReactNode {
  return <Badge tone={tones[state] ?? 'calm'}>{statusLabel(state)}</Badge>;
}

/** What a target answered: 0 when nothing came. */
export function HttpStatus({ status, error }: { status: number | null; error?: string | null }): ReactNode {
  if (status === null) return '–';
  if (status === 0) return <Badge tone="bad">{error ? error.slice(0, 40) : 'No response'}</Badge>;
  const tone = status < 300 ? 'good' : status < 400 ? 'warn' : 'bad';
  return <Badge tone={tone}>{status}</Badge>;
}
