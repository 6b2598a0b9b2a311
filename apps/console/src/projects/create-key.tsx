import { Input, Radio, SegmentedControl, Select, Stack, Text, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { SecondFactorNotice } from '../app/second-factor-notice';
import { useSession } from '../app/session';
import { api, unwrap, type Schemas } from '../http/client';
import { useApiMutation } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { IntegerInput } from '../components/integer-input';
import { ScopePicker } from './scope-picker';
import type { CreatedKey, Scope } from './api-key';
import type { Project } from './use-project-form';

interface CreateKeyProps {
  project: Project;
  onClose: () => void;
  onCreated: (key: CreatedKey) => void;
}

type Body = Schemas['CreateApiKeyRequest'];

const DAY_MS = 86_400_000;

/** Days until the key expires; "" for never, "on" for a date. */
const expiryOptions = [
  { value: '', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In 1 year' },
  { value: 'on', label: 'On a date…' },
];

/** Creates a key with a name, a type and scopes. Its value is shown afterwards. */
export function CreateKey({ project, onClose, onCreated }: CreateKeyProps): ReactNode {
  const { hasSecondFactor } = useSession();
  const [name, setName] = useState('');
  const [type, setType] = useState('secret');
  const [access, setAccess] = useState('project');
  const [scopes, setScopes] = useState<Scope[]>(['customer:read', 'customer:write']);
  const [rateLimit, setRateLimit] = useState<number | null>(null);
  const [expiry, setExpiry] = useState('');
  const [expiryDay, setExpiryDay] = useState('');
  const isSecret = type === 'secret';
  const create = useApiMutation((body: Body) => {
    const params = { path: { projectId: project.id } };
    return unwrap(api.POST('/operator/v1/projects/{projectId}/api-keys', { params, body }));
  }, '/operator/v1/projects/{projectId}/api-keys');
  const fieldErrors = create.error?.fields ?? {};
  return (
    <ActionDialog
      open
      onClose={onClose}
      title="Create API key"
      confirmLabel="Create key"
      disabled={!hasSecondFactor || !name.trim() || (expiry === 'on' && !expiryDay)}
      onConfirm={async () =>
        onCreated(
          await create.mutateAsync({
            name: name.trim(),
            type: type as Body['type'],
            ...(isSecret ? { access: access as Body['access'], scopes, rateLimit } : { access: 'project' }),
            expiresAt: toExpiresAt(expiry, expiryDay),
          }),
        )
      }
    >
      <SecondFactorNotice />
      <TextInput
        label="Name"
        description="What the key is used for."
        placeholder="Order service"
        required
        maxLength={100}
        data-autofocus
        autoComplete="off"
        value={name}
        error={fieldErrors.name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Stack gap={6}>
        <SegmentedControl
          aria-label="Type"
          fullWidth
          value={type}
          onChange={setType}
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
          <Radio.Group label="Access" value={access} onChange={setAccess} error={fieldErrors.access}>
            <Stack gap={6} mt={6}>
              <Radio value="project" label="This project" />
              <Radio
                value="organization"
                label="All projects of the organization and of organizations it created"
              />
            </Stack>
          </Radio.Group>
          <ScopePicker value={scopes} onChange={setScopes} error={fieldErrors.scopes} />
          <RateLimitInput value={rateLimit} error={fieldErrors.rateLimit} onChange={setRateLimit} />
        </>
      )}
      <Select
        label="Expires"
        data={expiryOptions}
        allowDeselect={false}
        value={expiry}
        error={fieldErrors.expiresAt}
        onChange={(chosen) => setExpiry(chosen ?? '')}
      />
      {expiry === 'on' && (
        <Input.Wrapper label="Date" description="The key expires at 00:00 UTC on this date." id="key-day">
          <Input
            id="key-day"
            type="date"
            value={expiryDay}
            onChange={(event) => setExpiryDay(event.currentTarget.value)}
          />
        </Input.Wrapper>
      )}
    </ActionDialog>
  );
}

interface RateLimitInputProps {
  /** null for the default. */
  value: number | null;
  error: string | undefined;
  onChange: (value: number | null) => void;
}

const RateLimitInput = ({ value, error, onChange }: RateLimitInputProps): ReactNode => (
  <IntegerInput
    label="Requests per second"
    description="1 to 10,000. Default: 100."
    thousandSeparator=","
    value={value ?? ''}
    error={error}
    onChange={(limit) => onChange(limit === '' ? null : Number(limit))}
  />
);

function toExpiresAt(expiry: string, expiryDay: string): string | null {
  if (expiry === '') return null;
  if (expiry === 'on') return new Date(`${expiryDay}T00:00:00.000Z`).toISOString();
  return new Date(Date.now() + Number(expiry) * DAY_MS).toISOString();
}
