import { Button, Group, Paper, Stack, TextInput, Title } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { useCan } from '../app/roles';
import { api, unwrap, type Schemas } from '../http/client';
import { useApiMutation } from '../http/queries';
import { editedSince } from '../components/edited-since';
import { LinesInput } from '../components/lines-input';
import { ProblemAlert } from '../components/problem-alert';
import { toastSuccess } from '../components/toast';

type Organization = Schemas['OrganizationResponse'];
type Edits = Partial<Pick<Organization, 'name' | 'billingReturnOrigins'>>;

/** Renders the settings of an organization. Only admins can change them. */
export function OrganizationSettings({ organization }: { organization: Organization }): ReactNode {
  const canEdit = useCan('admin');
  const [edits, setEdits] = useState<Edits>({});
  const { name, billingReturnOrigins } = { ...organization, ...edits };
  const body: Edits = {
    ...(name !== organization.name && { name }),
    ...(billingReturnOrigins.join('\n') !== organization.billingReturnOrigins.join('\n') && {
      billingReturnOrigins,
    }),
  };
  const isChanged = Object.keys(body).length > 0;
  const save = useApiMutation(
    () =>
      unwrap(
        api.PATCH('/operator/v1/organizations/{organizationId}', {
          params: { path: { organizationId: organization.id } },
          body,
        }),
      ),
    '/operator/v1/organizations',
  );
  const fieldErrors = save.error?.fields ?? {};
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (save.isPending) return;
    save.mutate(undefined, {
      onSuccess: () => {
        setEdits((latest) => editedSince(edits, latest));
        toastSuccess('Changes saved');
      },
    });
  };
  return (
    <Paper component="section" aria-label="Settings">
      <form onSubmit={submit}>
        <Stack maw={640}>
          <Title order={2}>Settings</Title>
          <TextInput
            label="Name"
            maxLength={100}
            readOnly={!canEdit}
            value={name}
            error={fieldErrors.name}
            onChange={(event) => setEdits({ ...edits, name: event.currentTarget.value })}
          />
          <LinesInput
            label="Billing return origins"
            description="Origins that the billing portal can link back to, one per line. If empty, all origins are allowed."
            placeholder="https://app.example.com"
            readOnly={!canEdit}
            value={billingReturnOrigins}
            error={fieldErrors.billingReturnOrigins}
            onChange={(origins) => setEdits({ ...edits, billingReturnOrigins: origins })}
          />
          {save.error && Object.keys(fieldErrors).length === 0 && <ProblemAlert error={save.error} />}
          {canEdit && (
            <Group gap="xs">
              <Button type="submit" loading={save.isPending} disabled={!isChanged || !name.trim()}>
                Save changes
              </Button>
              {isChanged && (
                <Button
                  variant="default"
                  disabled={save.isPending}
                  onClick={() => {
                    setEdits({});
                    save.reset();
                  }}
                >
                  Discard changes
                </Button>
              )}
            </Group>
          )}
        </Stack>
      </form>
    </Paper>
  );
}
