'use client';
import { useEffect, useRef, useState } from 'react';
import { errorText } from './error-text.js';
import { useTexts } from '../use-texts.js';

/** A value that is loaded asynchronously. */
export interface Loaded<Value> {
  /** Null until the value has loaded, and after an error. */
  value: Value | null;
  /** The message for the error, or null. */
  error: string | null;
  /** Loads the value again. The previous value is kept in the meantime. */
  reload: () => Promise<void>;
}

/** Loads a value when the component is mounted. */
export function useLoaded<Value>(load: () => PromiseLike<Value>): Loaded<Value> {
  const texts = useTexts();
  const [state, setState] = useState<{ value: Value | null; error: string | null }>({
    value: null,
    error: null,
  });
  const newest = useRef(0);
  const reload = async (): Promise<void> => {
    const call = (newest.current += 1);
    const next = await load().then(
      (value) => ({ value, error: null }),
      (cause: unknown) => ({ value: null, error: errorText(texts, cause) }),
    );
    if (call === newest.current) setState(next);
  };
  useEffect(() => {
    void reload();
    return () => {
      newest.current += 1;
    };
  }, []);
  return { ...state, reload };
}
