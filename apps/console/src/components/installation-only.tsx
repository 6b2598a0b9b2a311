import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { useHasInstallationAccess } from '../app/roles';
import { Icon } from './icon';
import { Page } from './page';

/** Renders its children unless the operator is limited to organizations. The api enforces this independently. */
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
