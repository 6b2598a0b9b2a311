import { Select, Switch } from '@mantine/core';
import { useRef, useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { api, unwrap, type Schemas } from '../http/client';
import { useApiMutation } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { environmentLabels } from './environment-badge';
import { NameAndSlugInputs, emptyNameAndSlug } from '../components/name-and-slug-inputs';
import { OrganizationSelect } from '../components/record-select';
import { toastSuccess } from '../components/toast';
import { verifiedEmailAdvice } from './verified-email-advice';

type Body = Schemas['CreateProjectRequest'];

interface CreateProjectProps {
  /** ID of the initially selected organization; "" for none. */
  organizationId: string;
  onClose: () => void;
}

/** Renders the dialog that creates a project in an organization and then opens its API keys. */
export function CreateProject({ organizationId, onClose }: CreateProjectProps): ReactNode {
  const navigate = useNavigate();
  const [owner, setOwner] = useState(organizationId);
  const [nameAndSlug, setNameAndSlug] = useState(emptyNameAndSlug);
  const name = nameAndSlug.name.trim();
  const [environment, setEnvironment] = useState('development');
  const isProduction = environment === 'production';
  const [requireVerifiedEmail, setRequireVerifiedEmail] = useState(true);
  const create = useApiMutation(
    () =>
      unwrap(
        api.POST('/operator/v1/projects', {
          body: {
            organizationId: owner,
            name,
            slug: nameAndSlug.slug,
            environment: environment as Body['environment'],
            ...(isProduction && { settings: { requireVerifiedEmail } }),
          },
        }),
      ),
    '/operator/v1/projects',
  );
  const fieldErrors = create.error?.fields ?? {};
  const isCreated = useRef(false);
  return (
    <ActionDialog
      open
      // After the project is created, `onClose` would navigate back to the list.
      onClose={() => isCreated.current || onClose()}
      title="Create project"
      confirmLabel="Create project"
      disabled={!owner || !name || !nameAndSlug.slug}
      onConfirm={async () => {
        const { id } = await create.mutateAsync(undefined);
        toastSuccess('Project created. Next, create its API keys.');
        isCreated.current = true;
        await navigate(`/projects/${id}?tab=keys`);
      }}
    >
      <OrganizationSelect
        showLabel
        required
        placeholder="Select an organization"
        value={owner}
        onChange={setOwner}
        error={fieldErrors.organizationId}
      />
      <NameAndSlugInputs
        value={nameAndSlug}
        onChange={setNameAndSlug}
        uniqueWithin="the organization"
        errors={fieldErrors}
      />
      <Select
        label="Environment"
        description="Cannot be changed later."
        allowDeselect={false}
        data={Object.entries(environmentLabels).map(([value, label]) => ({ value, label }))}
        value={environment}
        error={fieldErrors.environment}
        onChange={(chosen) => setEnvironment(chosen ?? 'development')}
      />
      {isProduction && (
        <Switch
          label="Require a verified email address"
          description={verifiedEmailAdvice}
          checked={requireVerifiedEmail}
          onChange={(event) => setRequireVerifiedEmail(event.currentTarget.checked)}
        />
      )}
    </ActionDialog>
  );
}
