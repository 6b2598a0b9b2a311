import type { ReactNode } from 'react';
import classes from './status-badge.module.css';

export type Tone = 'good' | 'bad' | 'warn' | 'calm' | 'info';

/** Renders a label with a color. The label conveys the meaning without the color. */
export function Badge({ tone, children }: { tone: Tone; children: ReactNode }): ReactNode {
  return <span className={`${classes.badge} ${classes[tone]}`}>{children}</span>;
}

/** The tones for delivery, endpoint, batch, email, operator and key states. */
const tones: Record<string, Tone> = {
  succeeded: 'good',
  failed: 'bad',
  pending: 'info',
  queued: 'info',
  sent: 'good',
  dropped: 'warn',
  cancelled: 'calm',
  redelivered: 'good',
  discarded: 'calm',
  erased: 'calm',
  waiting: 'warn',
  resolved: 'good',
  enabled: 'good',
  active: 'good',
  disabled: 'bad',
  planned: 'calm',
  running: 'info',
  completed: 'good',
  interrupted: 'warn',
  finished: 'good',
  expired: 'calm',
  invited: 'info',
  archived: 'calm',
  revoked: 'calm',
  connected: 'good',
  unreachable: 'bad',
};

/** Labels for states that the API spells differently. */
const labels: Record<string, string> = { cancelled: 'Canceled' };

const statusLabel = (state: string): string =>
  labels[state] ?? state.charAt(0).toUpperCase() + state.slice(1).replaceAll('_', ' ');

/** Renders a state. States that only a newer server returns are gray. */
export function StatusBadge({ state }: { state: string }): ReactNode {
  return <Badge tone={tones[state] ?? 'calm'}>{statusLabel(state)}</Badge>;
}

/** Renders a response's HTTP status; 0 means that there was no response. */
export function HttpStatus({ status, error }: { status: number | null; error?: string | null }): ReactNode {
  if (status === null) return '–';
  if (status === 0) return <Badge tone="bad">{error ? error.slice(0, 40) : 'No response'}</Badge>;
  const tone = status < 200 || status > 399 ? 'bad' : status < 300 ? 'good' : 'warn';
  return <Badge tone={tone}>{status}</Badge>;
}
