import { ActionIcon, Button, Fieldset, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../components/icon';
import classes from './endpoints.module.css';
import type { HeaderRow } from './headers-patch';

interface HeadersInputProps {
  rows: HeaderRow[];
  onChange: (rows: HeaderRow[]) => void;
  /** Validation errors by the API's field names: `headers.x-name`. */
  errors: Record<string, string>;
}

/** Renders the names and values for the headers that are sent with every delivery. Stored values are never shown. */
export function HeadersInput({ rows, onChange, errors }: HeadersInputProps): ReactNode {
  const change = (key: number, changes: Partial<HeaderRow>): void =>
    onChange(rows.map((row) => (row.key === key ? { ...row, ...changes } : row)));
  const add = (): void => {
    const key = Math.max(-1, ...rows.map((row) => row.key)) + 1;
    onChange([...rows, { key, name: '', value: '', isStored: false }]);
  };
  return (
    <Fieldset legend="Custom headers">
      <Stack gap="xs">
        <Text size="xs" c="dimmed">
          Sent with every delivery, for example Authorization. Values are stored encrypted and never shown
          again.
        </Text>
        {rows.map((row) => (
          <div key={row.key} className={classes.header}>
            <TextInput
              aria-label="Header name"
              placeholder="authorization"
              value={row.name}
              readOnly={row.isStored}
              spellCheck={false}
              autoComplete="off"
              error={errors[`headers.${row.name.trim().toLowerCase()}`]}
              onChange={(event) => change(row.key, { name: event.currentTarget.value })}
            />
            {row.value === null ? (
              <Button variant="default" onClick={() => change(row.key, { value: '' })}>
                Replace value
              </Button>
            ) : (
              <TextInput
                aria-label={`Value of ${row.name || 'this header'}`}
                placeholder="Value"
                value={row.value}
                spellCheck={false}
                autoComplete="off"
                onChange={(event) => change(row.key, { value: event.currentTarget.value })}
              />
            )}
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={`Remove ${row.name || 'this header'}`}
              onClick={() => onChange(rows.filter(({ key }) => key !== row.key))}
            >
              <Icon name="trash" />
            </ActionIcon>
          </div>
        ))}
        <div>
          <Button
            variant="default"
            size="xs"
            leftSection={<Icon name="plus" size={14} />}
            disabled={rows.length >= 20}
            onClick={add}
          >
            Add header
          </Button>
        </div>
      </Stack>
    </Fieldset>
  );
}
