import { Input, Radio, SegmentedControl, Select, Stack, Text, TextInput } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import { IntegerInput } from './integer-input';
import type { KeyDraft } from './key-draft';
import { ScopePicker } from './scope-picker';

interface KeyDraftFieldsProps {
  draft: KeyDraft;
  onChange: (changes: Partial<KeyDraft>) => void;
  /** Validation errors from the API by field. */
  errors: Record<string, string>;
}

const expiryOptions = [
  { value: '', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In 1 year' },
  { value: 'on', label: 'On a date…' },
];

/** Renders the inputs for a key: its name, type, scopes and expiry. */
export function KeyDraftFields({ draft, onChange, errors }: KeyDraftFieldsProps): ReactNode {
  const dayId = useId();
  const isSecret = draft.type === 'secret';
  return (
    <Stack>
      <TextInput
        label="Name"
        description="What the key is used for."
        placeholder="Order service"
        required
        maxLength={100}
        data-autofocus
        autoComplete="off"
        value={draft.name}
        error={errors.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <Stack gap={6}>
        <SegmentedControl
          aria-label="Type"
          fullWidth
          value={draft.type}
          onChange={(type) => onChange({ type })}
          data={[
            { value: 'secret', label: 'Secret' },
            { value: 'publishable', label: 'Publishable' },
          ]}
        />
        <Text c="dimmed" size="xs">
          {isSecret
            ? 'Use it on servers only: anyone who has this key has all the permissions selected below.'
            : 'Use it in web pages and apps to register customers and sign them in. It is not secret.'}
        </Text>
      </Stack>
      {isSecret && (
        <>
          <Radio.Group
            label="Access"
            value={draft.access}
            onChange={(access) => onChange({ access })}
            error={errors.access}
          >
            <Stack gap={6} mt={6}>
              <Radio value="project" label="This project" />
              <Radio
                value="organization"
                label="All projects of the organization and of organizations it created"
              />
            </Stack>
          </Radio.Group>
          <ScopePicker
            value={draft.scopes}
            onChange={(scopes) => onChange({ scopes })}
            error={errors.scopes}
          />
          <IntegerInput
            label="Requests per second"
            description="1 to 10,000. Default: 100."
            thousandSeparator=","
            value={draft.rateLimit ?? ''}
            error={errors.rateLimit}
            onChange={(limit) => onChange({ rateLimit: limit === '' ? null : Number(limit) })}
          />
        </>
      )}
      <Select
        label="Expires"
        data={expiryOptions}
        allowDeselect={false}
        value={draft.expiry}
        error={errors.expiresAt}
        onChange={(chosen) => onChange({ expiry: chosen ?? '' })}
      />
      {draft.expiry === 'on' && (
        <Input.Wrapper label="Date" description="The key expires at 00:00 UTC on this date." id={dayId}>
          <Input
            id={dayId}
            type="date"
            value={draft.expiryDay}
            onChange={(event) => onChange({ expiryDay: event.currentTarget.value })}
          />
        </Input.Wrapper>
      )}
    </Stack>
  );
}
