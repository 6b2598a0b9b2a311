import { Alert, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../components/icon';

/**
 * Replaces the forms if the page was loaded over plain HTTP from a host other than this computer (requirement
 * CO-01): the password could be intercepted, and browsers would not store the session cookie.
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
