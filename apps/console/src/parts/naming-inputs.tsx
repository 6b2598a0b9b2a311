import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';

/** What something new will be called. */
export interface Naming {
  name: string;
  /** Follows the name until somebody types another. */
  slug: string;
  isSlugTyped: boolean;
}

export const unnamed: Naming = { name: '', slug: '', isSlugTyped: false };

interface NamingInputsProps {
  value: Naming;
  onChange: (naming: Naming) => void;
  /** Where no other has the slug: "the house". */
  within: string;
  /** What is wrong with `name` and `slug`. */
  faults: Record<string, string>;
}

/** Asks for a name and a slug, in a dialog. */
export function NamingInputs({ value, onChange, within, faults }: NamingInputsProps): ReactNode {
  const rename = (name: string): void =>
    onChange({ ...value, name, slug: value.isSlugTyped ? value.slug : slugOf(name) });
  return (
    <>
      <TextInput
        label="Name"
        required
        maxLength={100}
        data-autofocus
        autoComplete="off"
        value={value.name}
        error={faults['name']}
        onChange={(event) => rename(event.currentTarget.value)}
      />
      <TextInput
        label="Slug"
        description={`Unique in ${within}. 3 to 48 characters: a-z, 0-9 and -. Cannot be changed later.`}
        required
        maxLength={48}
        spellCheck={false}
        autoComplete="off"
        value={value.slug}
        error={faults['slug']}
        onChange={(event) =>
          onChange({ ...value, slug: event.currentTarget.value.toLowerCase(), isSlugTyped: true })
        }
      />
    </>
  );
}

/** "The Shop, Ltd." becomes "the-shop-ltd". */
function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 48);
}
