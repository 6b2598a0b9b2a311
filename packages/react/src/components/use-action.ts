'use client';
import { useRef, useState } from 'react';
import { useTexts } from '../use-texts.js';
import { errorText } from './error-text.js';

export interface Action {
  isBusy: boolean;
  /** The message for the last call's error, or null. */
  error: string | null;
  /** Calls the function, unless a call is already running. */
  run: () => Promise<void>;
}

/** Adds a busy state and an error to an asynchronous function, for example for a button. */
export function useAction(work: () => Promise<unknown>): Action {
  const texts = useTexts();
  const [{ isBusy, error }, setState] = useState<{ isBusy: boolean; error: string | null }>({
    isBusy: false,
    error: null,
  });
  const isRunning = useRef(false);
  const run = async (): Promise<void> => {
    if (isRunning.current) return;
    isRunning.current = true;
    setState({ isBusy: true, error: null });
    try {
      await work();
      setState({ isBusy: false, error: null });
    } catch (cause) {
      setState({ isBusy: false, error: errorText(texts, cause) });
    } finally {
      isRunning.current = false;
    }
  };
  return { isBusy, error, run };
}
