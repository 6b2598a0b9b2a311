'use client';
import type { Client, SignInOptions } from '@gatehouse/js';
import { useEffect, useState } from 'react';
import { errorText } from '../components/error-text.js';
import { useTexts } from '../use-texts.js';

/** What the project offers. */
export interface Options {
  /** null until it has loaded. */
  value: SignInOptions | null;
  /** The reason why it could not be loaded, as a sentence. */
  error: string | null;
  reload: () => void;
}

/** Loads what a sign-in page should offer. */
export function useOptions(client: Client): Options {
  const texts = useTexts();
  const [value, setValue] = useState<SignInOptions | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    setError(null);
    client.options().then(
      (options) => isCurrent && setValue(options),
      (cause: unknown) => isCurrent && setError(errorText(texts, cause)),
    );
    return () => {
      isCurrent = false;
    };
  }, [client, attempt]);
  return { value, error, reload: () => setAttempt(attempt + 1) };
}
