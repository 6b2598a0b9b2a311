import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';

/** The name and slug for a new record. */
export interface NameAndSlug {
  name: string;
  /** Derived from the name until the operator edits it. */
  slug: string;
  isSlugEdited: boolean;
}

export const emptyNameAndSlug: NameAndSlug = { name: '', slug: '', isSlugEdited: false };

interface NameAndSlugInputsProps {
  value: NameAndSlug;
  onChange: (nameAndSlug: NameAndSlug) => void;
  /** The scope in which the slug is unique: "the organization". */
  uniqueWithin: string;
  /** Validation errors for `name` and `slug`. */
  errors: Record<string, string>;
}

/** Renders the inputs for a name and a slug in a dialog. */
export function NameAndSlugInputs({
  value,
  onChange,
  uniqueWithin,
  errors,
}: NameAndSlugInputsProps): ReactNode {
  const rename = (name: string): void =>
    onChange({ ...value, name, slug: value.isSlugEdited ? value.slug : slugify(name) });
  return (
    <>
      <TextInput
        label="Name"
        required
        maxLength={100}
        data-autofocus
        autoComplete="off"
        value={value.name}
        error={errors['name']}
        onChange={(event) => rename(event.currentTarget.value)}
      />
      <TextInput
        label="Slug"
        description={`Unique in ${uniqueWithin}. 3 to 48 characters: a-z, 0-9 and -. Cannot be changed later.`}
        required
        maxLength={48}
        spellCheck={false}
        autoComplete="off"
        value={value.slug}
        error={errors['slug']}
        onChange={(event) =>
          onChange({ ...value, slug: event.currentTarget.value.toLowerCase(), isSlugEdited: true })
        }
      />
    </>
  );
}

/** Returns the slug for a name: "The Shop, Ltd." becomes "the-shop-ltd". */
function slugify(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 48);
}
