import { Button, Group, Paper, Stack, TextInput, Title } from '@mantine/core';
import { type FormEvent, type ReactNode } from 'react';
import { useCan } from '../session/roles';
import { api, type Schemas } from '../http/client';
import { useApiUpdate } from '../http/queries';
import { LinesInput } from '../components/lines-input';
import { ProblemAlert } from '../components/problem-alert';
import { isStale, SavedChanges, saveLabel } from '../components/saved-changes';
import { toastSuccess } from '../components/toast';
import { useEdits } from '../components/use-edits';

type Organization = Schemas['OrganizationResponse'];
type Fields = Pick<Organization, 'name' | 'billingReturnOrigins'>;

const labels: Record<keyof Fields, string> = { name: 'Name', billingReturnOrigins: 'Billing return origins' };

const toFields = ({ name, billingReturnOrigins }: Organization): Fields => ({ name, billingReturnOrigins });

/** Renders an organization's settings. Only admins can change them. */
export function OrganizationSettings({ organization }: { organization: Organization }): ReactNode {
  const canEdit = useCan('admin');
  const edits = useEdits(toFields(organization));
  const { name, billingReturnOrigins } = edits.values;
  const isChanged = Object.keys(edits.changed).length > 0;
  const save = useApiUpdate(
    organization,
    (body: Partial<Fields>, header) =>
      api.PATCH('/operator/v1/organizations/{organizationId}', {
        params: { path: { organizationId: organization.id }, header },
        body,
      }),
    '/operator/v1/organizations',
  );
  const fieldErrors = save.error?.fields ?? {};
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (save.isPending) return;
    save.mutate(edits.changed, {
      onSuccess: (saved) => {
        edits.settle(toFields(saved));
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
            label={labels.name}
            maxLength={100}
            readOnly={!canEdit}
            value={name}
            error={fieldErrors.name}
            onChange={(event) => edits.set({ name: event.currentTarget.value })}
          />
          <LinesInput
            label={labels.billingReturnOrigins}
            description="Origins that the billing portal can link back to, one per line. If empty, all origins are allowed."
            placeholder="https://app.example.com"
            readOnly={!canEdit}
            value={billingReturnOrigins}
            error={fieldErrors.billingReturnOrigins}
            onChange={(origins) => edits.set({ billingReturnOrigins: origins })}
          />
          <SavedChanges edits={edits} labels={labels} problem={save.error} />
          {save.error && Object.keys(fieldErrors).length === 0 && !isStale(save.error) && (
            <ProblemAlert error={save.error} />
          )}
          {canEdit && (
            <Group gap="xs">
              <Button type="submit" loading={save.isPending} disabled={!isChanged || !name.trim()}>
                {saveLabel(edits)}
              </Button>
              {isChanged && (
                <Button
                  variant="default"
                  disabled={save.isPending}
                  onClick={() => {
                    edits.discard();
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
