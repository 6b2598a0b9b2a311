'use client';
import { useTexts } from '../use-texts.js';
import { ActionButton } from './action-button.js';
import { Alert, Skeleton } from './panel.js';
import type { Loaded } from './use-loaded.js';

/** Placeholder for a value that has not loaded: an error with a retry button, or gray lines. */
export function NotLoaded({ error, reload, lines = 2 }: Loaded<unknown> & { lines?: number }) {
  const texts = useTexts();
  if (!error) return <Skeleton lines={lines} />;
  return (
    <div className="gh-actions">
      <Alert>{error}</Alert>
      <ActionButton work={reload}>{texts.retry}</ActionButton>
    </div>
  );
}
