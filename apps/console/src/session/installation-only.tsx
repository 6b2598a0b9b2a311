import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { useHasInstallationAccess } from './roles';
import { Icon } from '../components/icon';
import { Page } from '../components/page';

/** Renders its children unless the operator is limited to organizations. The API enforces this independently. */
export function InstallationOnly({ title, children }: { title: string; children: ReactNode }): ReactNode {
  if (useHasInstallationAccess()) return children;
  return (
    <Page title={title}>
      <Alert color="gray" icon={<Icon name="lock" size={20} />} title="Not available with your access">
        Your access is limited to organizations, and this page concerns the entire installation.
      </Alert>
    </Page>
  );
}
