'use client';
import { useMemo } from 'react';
import { useGatehouse } from './gatehouse-context.js';
import { en } from './localization/en.js';
import type { Texts } from './localization/texts.js';

/** Returns the texts in the language of the provider. */
export function useTexts(): Texts {
  const { localization } = useGatehouse();
  return useMemo(
    () => ({
      ...en,
      ...localization,
      errors: { ...en.errors, ...localization.errors },
      reasons: { ...en.reasons, ...localization.reasons },
    }),
    [localization],
  );
}

/** Replaces each `{name}` of a text by the value of this name. */
export const fill = (text: string, values: Record<string, string | number>): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
