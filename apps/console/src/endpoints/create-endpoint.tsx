import { Input, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { api, unwrap, type Schemas } from '../http/client';
import { useApiMutation } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { OrganizationSelect, ProjectSelect } from '../components/record-select';
import { EndpointForm, isComplete, emptyFields, type EndpointFields } from './endpoint-form';
import { headersPatch } from './headers-patch';
import { SecretDialog } from './secret-dialog';

type CreatedEndpoint = Schemas['CreatedEndpointResponse'];
type Level = 'project' | 'organization';

interface CreateEndpointProps {
  /** ID of the initially selected project; "" for none. */
  projectId: string;
  isOpen: boolean;
  onClose: () => void;
}

/**
 * Shows the form, then the new endpoint's secret. Stays mounted when the form is closed, because the secret is shown
 * after that.
 */
export function CreateEndpoint({ projectId, isOpen, onClose }: CreateEndpointProps): ReactNode {
  const [created, setCreated] = useState<CreatedEndpoint | null>(null);
  const navigate = useNavigate();
  return (
    <>
      {isOpen && <CreateDialog projectId={projectId} onCreated={setCreated} onClose={onClose} />}
      <SecretDialog
        secret={created?.secret ?? null}
        title="Endpoint created"
        onClose={() => void navigate(`/endpoints/${created!.id}`)}
      />
    </>
  );
}

interface CreateDialogProps {
  projectId: string;
  onCreated: (endpoint: CreatedEndpoint) => void;
  onClose: () => void;
}

function CreateDialog({ projectId, onCreated, onClose }: CreateDialogProps): ReactNode {
  const [fields, setFields] = useState<EndpointFields>(emptyFields);
  const [level, setLevel] = useState<Level>('project');
  const [owner, setOwner] = useState({ project: projectId, organization: '' });
  const create = useApiMutation(
    (body: Schemas['CreateEndpointRequest']) => unwrap(api.POST('/operator/v1/webhooks/endpoints', { body })),
    '/operator/v1/webhooks/endpoints',
    '/operator/v1/audit-log',
  );
  const fieldErrors = create.error?.fields ?? {};
  const submit = async (): Promise<void> => {
    const headers = headersPatch(fields.headers, {}) as Record<string, string> | undefined;
    const response = await create.mutateAsync({
      level,
      ...(level === 'project' ? { project_id: owner.project } : { organization_id: owner.organization }),
      name: fields.name.trim() || null,
      url: fields.url.trim(),
      events: fields.events,
      description: fields.description.trim() || null,
      ...(headers && { headers }),
    });
    onCreated(response.data);
  };
  return (
    <ActionDialog
      open
      size="lg"
      onClose={onClose}
      title="Add endpoint"
      confirmLabel="Add endpoint"
      disabled={owner[level] === '' || !isComplete(fields)}
      onConfirm={submit}
    >
      <Stack>
        <Input.Wrapper label="Receives events from" labelElement="div">
          <SegmentedControl
            aria-label="Receives events from"
            fullWidth
            value={level}
            onChange={(value) => setLevel(value)}
            data={[
              { value: 'project', label: 'One project' },
              { value: 'organization', label: 'An organization' },
            ]}
          />
        </Input.Wrapper>
        {level === 'project' ? (
          <ProjectSelect
            showLabel
            required
            placeholder="Select a project"
            value={owner.project}
            error={fieldErrors.project_id}
            onChange={(project) => setOwner({ ...owner, project })}
          />
        ) : (
          <>
            <OrganizationSelect
              showLabel
              required
              placeholder="Select an organization"
              value={owner.organization}
              error={fieldErrors.organization_id}
              onChange={(organization) => setOwner({ ...owner, organization })}
            />
            <Text size="xs" c="dimmed">
              The endpoint receives the events of the organization and of all its projects, including projects
              that are created later.
            </Text>
          </>
        )}
        <EndpointForm
          value={fields}
          onChange={(changes) => setFields({ ...fields, ...changes })}
          errors={fieldErrors}
        />
      </Stack>
    </ActionDialog>
  );
}
