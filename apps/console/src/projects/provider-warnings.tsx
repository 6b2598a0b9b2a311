import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../components/icon';
import { useGet } from '../http/queries';
import type { Provider } from './provider-types';
import type { Project } from './use-project-form';

/** Renders the effects of a provider's and its project's settings that an operator may not expect. */
export function ProviderWarnings({ provider }: { provider: Provider }): ReactNode {
  return provider.warnings.map(({ code, message }) => (
    <Alert key={code} color="yellow" icon={<Icon name="alert" size={20} />}>
      {message}
    </Alert>
  ));
}

/** Renders the warnings for all providers in a project. */
export function ProjectWarnings({ project }: { project: Project }): ReactNode {
  const { data: providers } = useGet('/operator/v1/projects/{projectId}/identity-providers', {
    path: { projectId: project.id },
  });
  return providers?.data.map((provider) => <ProviderWarnings key={provider.id} provider={provider} />);
}
