import { Alert, Button, Stack, Text } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import type { Problem } from '../http/problem';
import { Icon } from './icon';
import { PropertyList } from './property-list';
import { UntrustedText } from './untrusted-text';
import type { Edits } from './use-edits';

interface SavedChangesProps<Fields extends object> {
  edits: Edits<Fields>;
  labels: Record<keyof Fields, string>;
  /** Formats a value. Default: `formatValue`. */
  format?: (field: keyof Fields & string, value: unknown) => string;
  /** Renders a value. Overrides `format`. */
  render?: (field: keyof Fields & string, value: unknown) => ReactNode;
  /** The error from the last save. */
  problem: Problem | null;
}

/** Returns whether a save was rejected because the record was changed in the meantime. */
export const isStale = (problem: Problem | null): boolean => problem?.code === 'precondition_failed';

/** Returns the label for the button that saves a form. */
export const saveLabel = ({ isOverwrite }: { isOverwrite: boolean }): string =>
  isOverwrite ? 'Overwrite' : 'Save changes';

/**
 * Lists the fields that others have saved while the form was being edited. For each edited field, the operator can
 * overwrite the saved value or use it.
 */
export function SavedChanges<Fields extends object>({
  edits,
  labels,
  format = (_, value) => formatValue(value),
  render = (field, value) => <UntrustedText text={format(field, value)} />,
  problem,
}: SavedChangesProps<Fields>): ReactNode {
  const { changed, savedChanges, isOverwrite } = edits;
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // In a long form, the alert can appear outside the visible part.
    if (isStale(problem)) element.current?.scrollIntoView({ block: 'nearest' });
  }, [problem]);
  if (Object.keys(changed).length === 0) return null;
  if (savedChanges.length === 0 && !isStale(problem)) return null;
  return (
    <Alert
      ref={element}
      role="alert"
      color="yellow"
      icon={<Icon name="alert" size={20} />}
      title="This record has changed"
    >
      <Stack gap="sm">
        <Text>
          {savedChanges.length === 0
            ? 'This record was saved after you opened it, but none of the fields in this form has changed. Save again to apply your changes.'
            : 'These fields were saved after you began to edit.'}
          {isOverwrite && ' “Overwrite” replaces the saved values with yours.'}
        </Text>
        {savedChanges.map(({ field, before, saved, edited }) => {
          const isEdited = edited !== undefined;
          return (
            <section key={field} aria-label={labels[field]}>
              <Text fw={600}>{labels[field]}</Text>
              <PropertyList
                items={{
                  [isEdited ? 'Your value' : 'Before']: render(field, isEdited ? edited : before),
                  'Saved value': render(field, saved),
                }}
              />
              {isEdited && (
                <Button size="compact-xs" variant="default" mt={4} onClick={() => edits.acceptSaved(field)}>
                  Use saved value
                </Button>
              )}
            </section>
          );
        })}
      </Stack>
    </Alert>
  );
}

/** Formats a field's value: "On", "Not set", "a, b". */
export function formatValue(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'On' : 'Off';
  if (Array.isArray(value)) return value.join(', ') || 'None';
  if (value === null || value === '') return 'Not set';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
