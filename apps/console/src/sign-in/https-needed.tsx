import { Alert, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../parts/icon';

/**
 * What stands in place of the forms when the page came over plain http from another host than this machine
 * (requirement CO-01): the password would be read on its way, and no browser would keep the session's cookie.
 */
export function HttpsNeeded(): ReactNode {
  const { hostname } = window.location;
  return (
    <Alert role="alert" color="yellow" icon={<Icon name="lock" size={20} />} title="The console needs https">
      <Text>
        This page came over plain http, so whatever you type here could be read on its way, and your browser
        would not keep you signed in. Open https://{hostname}/console/ if this host serves it, or use
        http://127.0.0.1 on the machine itself.
      </Text>
    </Alert>
  );
}
