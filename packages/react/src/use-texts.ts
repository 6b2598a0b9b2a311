'use client';
import { createContext, useContext } from 'react';
import type { Texts } from './localization/texts.js';

export const TextsContext = createContext<Texts | null>(null);

/** Returns the localized texts. */
export const useTexts = (): Texts => useContext(TextsContext)!;

/** Replaces each `{name}` in a text with the value for the name. */
export const fill = (text: string, values: Record<string, string | number>): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
