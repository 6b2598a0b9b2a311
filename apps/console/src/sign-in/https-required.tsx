import { Alert, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../parts/icon';

/**
 * What stands in place of the forms when the page came over plain http from another host than this machine
 * (requirement CO-01): the password would be read on its way, and no browser would keep the session's cookie.
 */
export function HttpsRequired(): ReactNode {
  const { hostname } = window.location;
  return (
    <Alert role="alert" color="yellow" icon={<Icon name="lock" size={20} />} title="HTTPS required">
      <Text>
        This page was loaded over plain HTTP. Anything you enter here could be intercepted, and your browser
        would not keep you signed in. Open https://{hostname}/console/ if this host serves it, or use
        http://127.0.0.1 on the server itself.
      </Text>
    </Alert>
  );
}
