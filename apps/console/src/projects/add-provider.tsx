import { Alert, Select, TextInput } from '@mantine/core';
import { useRef, useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { SecondFactorNotice } from '../session/second-factor-notice';
import { useSession } from '../session/session';
import { api, unwrap, type Schemas } from '../http/client';
import { useApiMutation } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { Icon } from '../components/icon';
import { toastSuccess } from '../components/toast';
import { emptyProviderFields, toProviderBody } from './provider-fields';
import { ProviderForm } from './provider-form';
import { PENDING, providerPath, providerTypes, type ProviderType } from './provider-types';
import type { Project } from './use-project-form';

type Body = Schemas['CreateIdentityProviderRequest'];

/** Renders the dialog that adds a provider and then opens its screen, which shows the callback URL. */
export function AddProvider({ project, onClose }: { project: Project; onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const { hasSecondFactor } = useSession();
  const [type, setType] = useState<ProviderType>('google');
  const [slug, setSlug] = useState('');
  const [issuer, setIssuer] = useState('');
  const [fields, setFields] = useState(emptyProviderFields);
  const params = { path: { projectId: project.id } };
  const create = useApiMutation(
    (body: Body) =>
      unwrap(api.POST('/operator/v1/projects/{projectId}/identity-providers', { params, body })),
    '/operator/v1/projects',
  );
  const errors = create.error?.fields ?? {};
  const { issuer: issuerField } = providerTypes[type];
  const isPending = type !== 'apple' && !fields.clientId.trim() && !fields.clientSecret;
  const isCreated = useRef(false);
  const select = (chosen: string | null): void => {
    setType(chosen as ProviderType);
    setFields(emptyProviderFields);
    setIssuer('');
    create.reset();
  };
  const submit = async (): Promise<void> => {
    const provider = await create.mutateAsync({
      ...toProviderBody({ type, issuer: issuer.trim() }, fields),
      type,
      clientId: fields.clientId.trim(),
      ...(isPending && { clientId: PENDING, clientSecret: PENDING, enabled: false }),
      ...(slug.trim() && { slug: slug.trim() }),
      ...(issuer.trim() && { issuer: issuer.trim() }),
    });
    toastSuccess('Identity provider added. Register its callback URL with the provider.');
    isCreated.current = true;
    await navigate(providerPath(provider));
  };
  return (
    <ActionDialog
      open
      size="lg"
      // After the provider is created, `onClose` would navigate back to the list.
      onClose={() => isCreated.current || onClose()}
      title="Add identity provider"
      confirmLabel="Add provider"
      disabled={!hasSecondFactor || (issuerField?.required && !issuer.trim())}
      onConfirm={submit}
    >
      <SecondFactorNotice />
      <Select
        label="Type"
        description="Cannot be changed later."
        data={Object.entries(providerTypes).map(([value, { label }]) => ({ value, label }))}
        allowDeselect={false}
        value={type}
        error={errors.type}
        onChange={select}
      />
      {issuerField && (
        <TextInput
          label={issuerField.label}
          description={issuerField.description}
          placeholder={issuerField.placeholder}
          required={issuerField.required}
          type="url"
          maxLength={2048}
          value={issuer}
          error={errors.issuer}
          onChange={(event) => setIssuer(event.currentTarget.value)}
        />
      )}
      <TextInput
        label="Slug"
        description="Your application sends this name in its requests. It cannot be changed later."
        placeholder={type}
        maxLength={48}
        autoComplete="off"
        spellCheck={false}
        value={slug}
        error={errors.slug}
        onChange={(event) => setSlug(event.currentTarget.value)}
      />
      {isPending && (
        <Alert color="gray" icon={<Icon name="info" size={20} />}>
          If the provider asks for the callback URL first, leave the client ID and the client secret empty.
          The provider is then added but disabled, and shows its callback URL.
        </Alert>
      )}
      <ProviderForm
        type={type}
        issuer={issuer.trim()}
        value={fields}
        onChange={(changes) => setFields({ ...fields, ...changes })}
        errors={errors}
      />
    </ActionDialog>
  );
}
